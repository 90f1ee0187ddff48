package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Topology;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PrefixLookupTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final WorkerId B = new WorkerId("B", 0);
  private static final WorkerId C = new WorkerId("C", 0);
  private static final long[] TEN = LongStream.range(0, 10).toArray();

  private final NaiveIndex index = new NaiveIndex();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final PrefixLookup lookup = new PrefixLookup(index, registry);

  @Test
  void severalHolders_eachHasTheLengthOfItsOwnPrefix() {
    hold(A, 1, 0, 10);
    hold(B, 2, 0, 5);
    hold(C, 3, 5, 10);

    LookupAnswer.Found found = lookup.find(Requester.outside(keyspace()), TEN);

    assertThat(found.holders())
        .containsExactly(new Holder(A, CPU, 10, "url-A", 1), new Holder(B, CPU, 5, "url-B", 2));

    index.drop(A);
    assertThat(lookup.find(Requester.outside(keyspace()), TEN).holders())
        .containsExactly(new Holder(B, CPU, 5, "url-B", 2));
  }

  @Test
  void gap_endsThePrefix() {
    hold(A, 1, 0, 3);
    hold(A, 1, 4, 7);

    assertThat(best(Requester.outside(keyspace()))).isEqualTo(new Holder(A, CPU, 3, "url-A", 1));
  }

  @Test
  void equallyLong_theFirstRegisteredIsBest() {
    hold(B, 5, 0, 4);
    hold(A, 9, 0, 4);

    assertThat(best(Requester.outside(keyspace())).worker()).isEqualTo(B);
  }

  @Test
  void equallyLong_theNearestIsBest_hostBeforeRackBeforeZone() {
    hold("unknown", null, 4);
    hold("far", new Topology("z2", "r1", "h9"), 4);
    hold("sameZone", new Topology("z1", "r2", "h3"), 4);
    hold("sameRack", new Topology("z1", "r1", "h2"), 4);
    hold("sameHost", new Topology("z1", "r1", "h1"), 4);
    hold("longer", new Topology("z2", "r7", "h7"), 5);
    registry.put(live(A, 99, agent("url").in(new Topology("z1", "r1", "h1"))));

    assertThat(lookup.find(Requester.agent(A, keyspace()), TEN).holders())
        .extracting(holder -> holder.worker().instanceId())
        .containsExactly("longer", "sameHost", "sameRack", "sameZone", "unknown", "far");
  }

  @Test
  void whoDoesNotTellWhereItIs_getsTheFirstRegisteredOfEquals() {
    hold("first", new Topology("z2", null, "h2"), 4);
    hold("second", new Topology("z1", null, "h1"), 4);
    registry.put(live(A, 99, agent("url")));

    assertThat(best(Requester.agent(A, keyspace())).worker().instanceId()).isEqualTo("first");
  }

  /** Registered after those before. */
  private void hold(String instance, @Nullable Topology topology, int chunks) {
    WorkerId worker = new WorkerId(instance, 0);
    index.admit(worker, CPU, keyspace(), LongStream.range(0, chunks).toArray());
    registry.put(live(worker, registry.workers().size() + 1L, agent("url").in(topology)));
  }

  @Test
  void ownInstance_isNeverOffered() {
    hold(A, 1, 0, 10);
    WorkerId sibling = new WorkerId("A", 1);

    assertThat(lookup.find(Requester.agent(A, keyspace()), TEN).holders()).isEmpty();
    assertThat(lookup.find(Requester.agent(sibling, keyspace()), TEN).holders()).isEmpty();
  }

  @Test
  void unknownRequester_isAnswered() {
    hold(A, 1, 0, 10);

    assertThat(best(Requester.agent(new WorkerId("new", 0), keyspace())).chunks()).isEqualTo(10);
  }

  @Test
  void noHashes_isAMiss() {
    hold(A, 1, 0, 10);

    assertThat(lookup.find(Requester.outside(keyspace()), new long[0]).best()).isEmpty();
  }

  @Test
  void otherRankOrModel_neverAnswers() {
    index.admit(new WorkerId("A", 1), CPU, keyspace(1), TEN);
    registry.put(live(new WorkerId("A", 1), 1, agent("url")));

    assertThat(lookup.find(Requester.agent(B, keyspace(0)), TEN).holders()).isEmpty();
    assertThat(lookup.find(Requester.agent(new WorkerId("B", 1), keyspace(1)), TEN).holders())
        .hasSize(1);
  }

  @Test
  void silentIsHidden_suspectIsOffered() {
    hold(A, 1, 0, 10);
    hold(B, 2, 0, 5);
    registry.put(view(A, WorkerState.SILENT, 1, agent("url-A")));
    registry.put(view(B, WorkerState.SUSPECT, 2, agent("url-B")));

    assertThat(lookup.find(Requester.outside(keyspace()), TEN).holders())
        .extracting(Holder::worker)
        .containsExactly(B);
  }

  @Test
  void holderWithoutAddress_isPassedOver() {
    hold(A, 1, 0, 10);
    hold(B, 2, 0, 5);
    registry.put(live(A, 1, agent(null)));

    LookupAnswer.Found found = lookup.find(Requester.outside(keyspace()), TEN);

    assertThat(found.best()).map(Holder::worker).contains(B);
    assertThat(found.withoutAddress()).isEqualTo(1);
  }

  @Test
  void holderNotAnnouncedYet_isPassedOver() {
    hold(A, 1, 0, 10);
    registry.put(live(A, 1, null));

    assertThat(lookup.find(Requester.outside(keyspace()), TEN).best()).isEmpty();
  }

  @Test
  void foreignAsker_getsForeignHoldersOfItsRankOnly() {
    Keyspace rank3 = Keyspace.foreign(3);
    WorkerId foreignA3 = new WorkerId("A", 3);
    index.admit(foreignA3, CPU, rank3, TEN);
    registry.put(live(foreignA3, 1, foreign("url")));
    hold(B, 2, 0, 10);

    assertThat(lookup.find(Requester.foreign(new WorkerId("C", 3)), TEN).holders())
        .extracting(Holder::worker)
        .containsExactly(foreignA3);
    assertThat(lookup.find(Requester.foreign(new WorkerId("C", 0)), TEN).holders()).isEmpty();
    assertThat(lookup.find(Requester.agent(C, keyspace()), TEN).holders())
        .extracting(Holder::worker)
        .containsExactly(B);
  }

  @Test
  void agentInAForeignKeyspace_isNotOffered() {
    index.admit(A, CPU, Keyspace.foreign(0), TEN);
    registry.put(live(A, 1, agent("url-A")));

    LookupAnswer.Found found = lookup.find(Requester.foreign(B), TEN);

    assertThat(found.holders()).isEmpty();
    assertThat(found.mismatched()).isEqualTo(1);
  }

  @Test
  void otherAnnouncement_isPassedOverAndCounted() {
    hold(A, 1, 0, 10);
    hold(B, 2, 0, 5);
    registry.put(live(A, 1, agent("url-A", "1")));
    registry.put(live(C, 3, agent("url-C", "0")));

    LookupAnswer.Found found = lookup.find(Requester.agent(C, keyspace()), TEN);

    assertThat(found.best()).map(Holder::worker).contains(B);
    assertThat(found.mismatched()).isEqualTo(1);
  }

  @Test
  void holderGoneFromTheRegistry_isNotOffered() {
    hold(A, 1, 0, 10);
    registry.remove(A);

    assertThat(lookup.find(Requester.outside(keyspace()), TEN).best()).isEmpty();
  }

  @Test
  void bestLocationOfAWorker_comesFirst() {
    index.admit(A, "LocalDiskBackend", keyspace(), TEN);
    hold(A, 1, 0, 4);

    assertThat(best(Requester.outside(keyspace())))
        .isEqualTo(new Holder(A, "LocalDiskBackend", 10, "url-A", 1));
  }

  @Test
  void notReady_isNoMiss() {
    var lookups = new ReadyLookup(() -> false, lookup);

    assertThat(lookups.find(Requester.outside(keyspace()), TEN))
        .isEqualTo(new LookupAnswer.NotReady());
  }

  private void hold(WorkerId worker, long epoch, long from, long to) {
    index.admit(worker, CPU, keyspace(), LongStream.range(from, to).toArray());
    registry.put(live(worker, epoch, agent("url-" + worker.instanceId())));
  }

  private Holder best(Requester requester) {
    return lookup.find(requester, TEN).best().orElseThrow();
  }
}

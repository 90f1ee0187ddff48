package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.controller.lookup.Barrier;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lookups, barriers, and requests that make no sense. */
class RequestHandlerTest {

  private final RequestFixture fixture = new RequestFixture();

  @Test
  void lookup_answersTheHolderAndItsEpoch() {
    fixture.index.admit(RequestFixture.A, CPU, keyspace(), 1, -1, 3);
    fixture.registry.put(live(RequestFixture.A, 1, agent("url-A")));

    assertThat(lookup(keyspace().toString(), ChunkHash.ofSigned(1), ChunkHash.ofUnsigned(-1)))
        .isEqualTo(
            new BatchedP2PLookupRetMsg(List.of(new PeerLayout("A", CPU, 2, "url-A")), List.of(1L)));
  }

  @Test
  void lookup_ofATrace_hasASpanOfIt() {
    Traceparent asker =
        new Traceparent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true);

    var unused = fixture.handler.handle(traced(asker.toString()));
    unused = fixture.handler.handle(traced("of nothing"));

    SpanData span = fixture.spans.ended().getFirst();
    assertThat(span.getName()).isEqualTo("controller lookup");
    assertThat(span.getTraceId()).isEqualTo(asker.traceId());
    assertThat(span.getParentSpanId()).isEqualTo(asker.spanId());
    assertThat(span.getAttributes().asMap())
        .containsEntry(AttributeKey.longKey("chunks.asked"), 1L)
        .containsEntry(AttributeKey.stringKey("outcome"), "miss");
    assertThat(fixture.spans.ended().getLast().getParentSpanContext().isValid()).isFalse();
    assertThat(fixture.counts.badTraceparents()).isEqualTo(1);
  }

  private static BatchedP2PLookupMsg traced(String traceparent) {
    return new BatchedP2PLookupMsg(
        List.of(ChunkHash.ofSigned(1)), "B", 0, keyspace().toString(), traceparent);
  }

  @Test
  void lookup_answersTheBestHolderFirstAndThenTheOthersWithTheirOwnPrefixes() {
    fixture.index.admit(RequestFixture.A, CPU, keyspace(), 1, 2);
    fixture.registry.put(live(RequestFixture.A, 1, agent("url-A")));
    fixture.index.admit(new WorkerId("D", 0), CPU, keyspace(), 1, 2, 3);
    fixture.registry.put(live(new WorkerId("D", 0), 5, agent("url-D")));
    fixture.index.admit(new WorkerId("C", 0), CPU, keyspace(), 2, 3);
    fixture.registry.put(live(new WorkerId("C", 0), 6, agent("url-C")));

    assertThat(
            lookup(
                keyspace().toString(),
                ChunkHash.ofSigned(1),
                ChunkHash.ofSigned(2),
                ChunkHash.ofSigned(3)))
        .isEqualTo(
            new BatchedP2PLookupRetMsg(
                List.of(new PeerLayout("D", CPU, 3, "url-D"), new PeerLayout("A", CPU, 2, "url-A")),
                List.of(5L, 1L)));
  }

  @Test
  void lookup_ofAPopularPrefix_answersEightHolders() {
    for (int i = 0; i < 20; i++) {
      WorkerId holder = new WorkerId("w" + i, 0);
      fixture.index.admit(holder, CPU, keyspace(), 1);
      fixture.registry.put(live(holder, i, agent("url-" + i)));
    }

    BatchedP2PLookupRetMsg found =
        (BatchedP2PLookupRetMsg) lookup(keyspace().toString(), ChunkHash.ofSigned(1));

    assertThat(found.layoutInfo()).hasSize(8);
    assertThat(found.epochs()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  @Test
  void lookup_ofAForeignWorker_isAnsweredAsLmCacheWould() {
    for (String name : List.of("A", "D")) {
      WorkerId holder = new WorkerId(name, 0);
      fixture.index.admit(holder, CPU, Keyspace.foreign(0), 1);
      fixture.registry.put(live(holder, 1, foreign("url-" + name)));
    }

    assertThat(lookup(null, ChunkHash.ofSigned(1)))
        .isEqualTo(new BatchedP2PLookupRetMsg(List.of(new PeerLayout("A", CPU, 1, "url-A"))));
  }

  @Test
  void lookup_missAndNoHashes_areTheMissTuple() {
    var miss = new BatchedP2PLookupRetMsg(List.of(new PeerLayout("", "", 0, "")));

    assertThat(lookup(null, ChunkHash.ofSigned(1))).isEqualTo(miss);
    assertThat(lookup(keyspace().toString())).isEqualTo(miss);
  }

  @Test
  void lookup_notReady_isAnErrorAndNeverAMiss() {
    fixture.view.ready = false;

    assertThat(RequestFixture.code(lookup(null, ChunkHash.ofSigned(1))))
        .isEqualTo(ErrorMsg.NOT_READY);
  }

  @Test
  void nonsenseIdentityOrKeyspace_isABadRequest() {
    assertThat(RequestFixture.code(lookup("no keyspace", ChunkHash.ofSigned(1))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(RequestFixture.code(fixture.ask(new RegisterMsg("a/b", 0, "h", 1, null))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(RequestFixture.code(fixture.ask(new HeartbeatMsg("", 0, "h", 1, null))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.log.events()).isEmpty();
  }

  @Test
  void barrier_answersWithinTheBound() {
    assertThat(fixture.ask(new AppliedMsg("A", 0, 5, 9, 1_000_000)))
        .isEqualTo(new AppliedRetMsg(true, 5, 9));
    assertThat(fixture.waited).isEqualTo(Duration.ofSeconds(5));

    fixture.ask(new AppliedMsg("A", 0, 5, 9, -7));
    assertThat(fixture.waited).isZero();

    fixture.barrierAnswer = new Barrier.Answer(Barrier.Outcome.REFUSED, -1, -1);
    assertThat(RequestFixture.code(fixture.ask(new AppliedMsg("A", 0, 5, 9, 1))))
        .isEqualTo(ErrorMsg.NOT_READY);
  }

  private DirectoryReply lookup(@Nullable String keyspace, ChunkHash... hashes) {
    return fixture.ask(new BatchedP2PLookupMsg(List.of(hashes), "B", 0, keyspace));
  }
}

package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.hash.TokenFormatException;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class InstanceLookupTest {

  private static final long[] TEN = LongStream.range(0, 10).toArray();

  private final NaiveIndex index = new NaiveIndex();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final InstanceLookup lookup =
      new InstanceLookup(index, registry, hashing("sha256_cbor", "0", 256));

  @Test
  void severalHolders_eachHasTheLengthOfItsOwnPrefix() {
    foreignHolds("B", 0, 1, 0, 5);
    foreignHolds("A", 0, 2, 0, 10);
    foreignHolds("C", 0, 3, 5, 10);

    assertThat(lookup.find(TEN))
        .containsExactly(new InstancePrefix("A", CPU, 10), new InstancePrefix("B", CPU, 5));

    index.drop(new WorkerId("A", 0));
    assertThat(lookup.find(TEN)).containsExactly(new InstancePrefix("B", CPU, 5));
    assertThat(lookup.find(new long[0])).isEmpty();
    assertThat(lookup.find(new long[] {77})).isEmpty();
  }

  @Test
  void equalPrefixes_areInOrderOfRegistration() {
    foreignHolds("late", 0, 9, 0, 3);
    foreignHolds("early", 0, 2, 0, 3);

    assertThat(lookup.find(TEN))
        .extracting(InstancePrefix::instanceId)
        .containsExactly("early", "late");
  }

  @Test
  void instanceOfSeveralRanks_hasWhatItsShortestRankHas() {
    agentHolds("A", 0, 1, keyspace(0), 10);
    agentHolds("A", 1, 1, keyspace(1), 4);
    foreignHolds("F", 0, 2, 0, 7);
    foreignHolds("F", 1, 2, 0, 3);

    assertThat(lookup.find(TEN))
        .containsExactly(new InstancePrefix("A", CPU, 4), new InstancePrefix("F", CPU, 3));
  }

  @Test
  void instanceWhoseOneRankHasNothingOrIsSilent_hasNothing() {
    agentHolds("A", 0, 1, keyspace(0), 10);
    registry.put(live(new WorkerId("A", 1), 1, agent("url")));
    agentHolds("S", 0, 2, keyspace(0), 10);
    agentHolds("S", 1, 2, keyspace(1), 10);
    assertThat(lookup.find(TEN)).containsExactly(new InstancePrefix("S", CPU, 10));

    registry.put(view(new WorkerId("S", 1), WorkerState.SILENT, 2, agent("url")));
    assertThat(lookup.find(TEN)).isEmpty();
  }

  @Test
  void rankWithAnotherRanksShare_doesNotCountWithIt() {
    agentHolds("A", 1, 1, keyspace(0), 10);

    assertThat(lookup.find(TEN)).isEmpty();
  }

  @Test
  void modelThatIsNotSplit_countsOnTheFirstRankAlone() {
    Keyspace whole = Keyspace.of("m", 1, 0, "bfloat16", List.of());
    agentHolds("A", 0, 1, whole, 6);
    registry.put(live(new WorkerId("A", 1), 1, agent("url")));

    assertThat(lookup.find(TEN)).containsExactly(new InstancePrefix("A", CPU, 6));
  }

  @Test
  void agents_countWithTheModelAndTheHashingThatTheyAnnounce() {
    agentHolds("A", 0, 1, Keyspace.of("other", 1, 0, "bfloat16", List.of()), 10);
    registry.put(live(new WorkerId("B", 0), 2, agent("url", "another seed")));
    index.admit(new WorkerId("B", 0), CPU, keyspace(), TEN);

    assertThat(lookup.find(TEN)).isEmpty();
  }

  @Test
  void tokens_haveTheHashesOfTheEnginesAndAnEnd() {
    long[] tokens = LongStream.rangeClosed(1, 10).toArray();
    PromptHashing sha = hashing("sha256_cbor", "0", 4);
    PromptHashing builtin = hashing("builtin", "", 4);

    assertThat(sha.hashBits(tokens))
        .hasSize(3)
        .startsWith(3014082381777974454L, Long.parseUnsignedLong("11333758405563688129"));
    assertThat(builtin.hashBits(tokens)).startsWith(4965923915475442220L, -6292915440479534054L);
    assertThat(sha.tokens(2, 10)).isEqualTo(8);
    assertThat(sha.tokens(3, 10)).isEqualTo(10);
    assertThatThrownBy(() -> sha.hashBits(new long[] {1, -1}))
        .isInstanceOf(TokenFormatException.class);
  }

  private static PromptHashing hashing(String algorithm, String seed, int chunkTokens) {
    return new PromptHashing(
        algorithm, seed, new TokenChunker(ChunkHashing.of(algorithm, seed), chunkTokens));
  }

  private void foreignHolds(String instance, int rank, long registered, int from, int to) {
    WorkerId id = new WorkerId(instance, rank);
    registry.put(live(id, registered, foreign(null)));
    index.admit(id, CPU, Keyspace.foreign(rank), LongStream.range(from, to).toArray());
  }

  private void agentHolds(String instance, int rank, long registered, Keyspace space, int chunks) {
    WorkerId id = new WorkerId(instance, rank);
    registry.put(live(id, registered, agent("url")));
    index.admit(id, CPU, space, LongStream.range(0, chunks).toArray());
  }
}

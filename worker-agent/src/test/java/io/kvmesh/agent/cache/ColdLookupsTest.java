package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.KEYSPACE;
import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever changes between guesses and the lookup, the prefix is the right one. */
class ColdLookupsTest {

  private static final int SLOTS = 300;
  private static final Keyspace OTHER = Keyspace.of("other", 1, 0, "half", List.of());

  private final CacheFixture at = new CacheFixture(SLOTS, PolicyName.LRU);
  private final ChunkMemory memory = ChunkMemory.paged(at.pages);
  private final ResidentSet resident =
      new ResidentSet(memory, PackedRoom.NONE, PolicyName.LRU.create(SLOTS), at.sink);
  private final List<ChunkLease> leases = new ArrayList<>();

  @AfterEach
  void unmap() {
    at.close();
  }

  private void admit(ChunkKey key) {
    int place = memory.tryAllocate(PAGE_BYTES);
    ChunkSpec spec = new ChunkSpec(key, PAGE_BYTES, TOKENS);
    resident.admit(new PendingChunk(at.cache, spec, place), place, 0);
  }

  private ChunkLease prefix(List<ChunkKey> keys, Runnable meanwhile) {
    ColdLookups guesses = resident.lookups(keys.size());
    guesses.guess(keys, 0);
    meanwhile.run();
    ChunkLease lease = new ChunkLease(at.cache, keys.size());
    resident.holdPrefix(keys, guesses, lease);
    leases.add(lease);
    return lease;
  }

  private List<ChunkKey> held(ChunkLease lease) {
    return IntStream.range(0, lease.size())
        .map(lease::slotAt)
        .mapToObj(slot -> new ChunkKey(resident.keyspace(slot), resident.records().hash(slot)))
        .toList();
  }

  private void evictAll() {
    while (resident.evictOne()) {
      assertThat(resident.residentChunks()).isNotNegative();
    }
  }

  @Test
  void aSlotThatAnotherChunkGotMeanwhile_isNotTaken() {
    admit(key(1));
    ChunkLease lease =
        prefix(
            List.of(key(1)),
            () -> {
              evictAll();
              admit(key(2));
            });
    assertThat(lease.size()).isZero();
  }

  @Test
  void aSlotThatIsEmptyMeanwhile_isNotTaken() {
    admit(key(1));
    assertThat(prefix(List.of(key(1)), this::evictAll).size()).isZero();
  }

  @Test
  void aChunkThatLeftAndIsStillHeld_isNotFound() {
    admit(key(1));
    ChunkLease lease =
        prefix(
            List.of(key(1)),
            () -> {
              prefix(List.of(key(1)), () -> {});
              resident.removeAll(RemovalCause.SHUTDOWN);
            });
    assertThat(lease.size()).isZero();
  }

  @Test
  void aChunkThatCameMeanwhile_isFound() {
    assertThat(held(prefix(List.of(key(1)), () -> admit(key(1))))).containsExactly(key(1));
  }

  @Test
  void theSameHashInAnotherKeyspace_isAnotherChunk() {
    admit(key(1));
    ChunkKey other = new ChunkKey(OTHER, key(1).hash());
    assertThat(prefix(List.of(other), () -> {}).size()).isZero();
    admit(other);
    assertThat(held(prefix(List.of(key(1), other), () -> {}))).containsExactly(key(1), other);
  }

  @Test
  void wideHashesThatBeginAlike_areTwoChunks() {
    byte[] digest = new byte[32];
    ChunkKey one = new ChunkKey(KEYSPACE, ChunkHash.ofBytes(digest.clone()));
    digest[31] = 1;
    ChunkKey two = new ChunkKey(KEYSPACE, ChunkHash.ofBytes(digest));
    admit(one);
    assertThat(held(prefix(List.of(one), () -> {}))).containsExactly(one);
    assertThat(prefix(List.of(two), () -> {}).size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomChangesMeanwhile_thePrefixIsThatOfTheMomentOfTheLookup(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      List<ChunkKey> asked =
          random
              .ints(random.nextInt(3 * ColdLookups.MOST), 0, 2)
              .mapToObj(step -> key(random.nextInt(SLOTS)))
              .toList();
      ChunkLease lease = prefix(asked, () -> change(random));
      assertThat(held(lease)).as("seed %d round %d", seed, round).isEqualTo(expected(asked));
      if (random.nextInt(3) == 0) {
        letGoAll();
      }
    }
  }

  private void change(Random random) {
    for (int i = random.nextInt(2 * SLOTS); i > 0; i--) {
      ChunkKey key = key(random.nextInt(SLOTS));
      int slot = resident.find(key);
      if (slot == ChunkTable.NOT_FOUND && at.pages.freePages() > 0) {
        admit(key);
      } else if (slot != ChunkTable.NOT_FOUND && random.nextInt(4) == 0) {
        resident.removeUnlessHeld(slot, RemovalCause.REMOVED);
      }
    }
  }

  private List<ChunkKey> expected(List<ChunkKey> asked) {
    return asked.stream().takeWhile(at.sink.resident::contains).toList();
  }

  private void letGoAll() {
    leases.forEach(
        lease -> IntStream.range(0, lease.size()).map(lease::slotAt).forEach(resident::letGo));
    leases.clear();
  }
}

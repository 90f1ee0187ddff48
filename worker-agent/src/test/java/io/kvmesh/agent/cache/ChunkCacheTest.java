package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.isStamped;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.Tag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ChunkCacheTest {

  /** POL-1: only a local read and a put are uses. */
  @ParameterizedTest
  @CsvSource({"LRU, 2, 3", "FIFO, 1, 2", "MRU, 1, 5"})
  void eviction_followsTheNamedPolicy(PolicyName policy, long firstGone, long secondGone) {
    try (CacheFixture at = new CacheFixture(4, policy)) {
      at.put(1, 2, 3, 4);
      at.read(1);
      at.cache.leasePrefix(keys(2)).close();
      at.has(3);
      at.put(5);
      assertThat(gone(at)).containsExactly(firstGone);
      at.put(6);
      assertThat(gone(at)).containsExactlyInAnyOrder(firstGone, secondGone);
    }
  }

  private static List<Long> gone(CacheFixture at) {
    List<Long> gone = new ArrayList<>();
    for (long hash = 1; hash <= at.cache.stats().admitted(); hash++) {
      if (!at.has(hash)) {
        gone.add(hash);
      }
    }
    return gone;
  }

  @Test
  void leasePrefix_stopsAtTheFirstGap() {
    try (CacheFixture at = new CacheFixture(8, PolicyName.LRU)) {
      at.put(1, 2, 4);
      try (ChunkLease lease = at.cache.leasePrefix(keys(1, 2, 3, 4))) {
        assertThat(lease.size()).isEqualTo(2);
        assertThat(lease.key(1)).isEqualTo(key(2));
        assertThat(lease.bytes(0)).isEqualTo(PAGE_BYTES);
        assertThat(lease.tokens(0)).isEqualTo(TOKENS);
        assertThat(isStamped(lease.body(1), key(2))).isTrue();
        assertThat(lease.checksum(1)).isEqualTo(ChunkChecksum.of(lease.body(1)));
        assertThat(lease.body(1).isReadOnly()).isTrue();
      }
      assertThat(at.cache.leasePrefix(keys(9)).size()).isZero();
      assertThat(at.cache.leasePrefix(List.of()).size()).isZero();
    }
  }

  @Test
  void keyspacesAndTags_neverAnswerForEachOther() {
    Keyspace other = Keyspace.of("model", 1, 1, "half", List.of());
    Keyspace tagged = Keyspace.of("model", 1, 0, "half", List.of(new Tag("user", "a")));
    List<ChunkKey> distinct =
        List.of(
            key(1),
            new ChunkKey(other, ChunkHash.ofSigned(1)),
            new ChunkKey(tagged, ChunkHash.ofSigned(1)));
    try (CacheFixture at = new CacheFixture(8, PolicyName.LRU);
        ChunkLease lease = at.cache.newLease()) {
      Set<Integer> pages = new HashSet<>();
      for (int i = 0; i < distinct.size(); i++) {
        assertThat(at.cache.leasePrefix(List.of(distinct.get(i))).size()).isZero();
        at.put(distinct.get(i), lease);
        pages.add(lease.place(i));
        assertThat(lease.key(i)).isEqualTo(distinct.get(i));
      }
      assertThat(pages).hasSize(3);
    }
  }

  @Test
  void wideHashes_areComparedWhole_andOneOfTwoThatBeginAlikeIsKept() {
    byte[] digest = new byte[32];
    digest[0] = 1;
    ChunkKey wide = new ChunkKey(CacheFixture.KEYSPACE, ChunkHash.ofBytes(digest));
    digest[31] = 9;
    ChunkKey alike = new ChunkKey(CacheFixture.KEYSPACE, ChunkHash.ofBytes(digest));
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU)) {
      ChunkLease lease = at.cache.newLease();
      at.put(wide, lease);
      assertThat(at.cache.leasePrefix(List.of(alike)).size()).isZero();
      at.put(alike, lease);
      assertThat(at.cache.leasePrefix(List.of(wide)).size()).isZero();
      assertThat(lease.key(0)).isEqualTo(wide);
      assertThat(lease.key(1)).isEqualTo(alike);
      assertThat(isStamped(lease.body(0), wide)).isTrue();
      assertThat(at.cache.stats().removed()).containsEntry(RemovalCause.DISPLACED, 1L);
      assertThat(at.cache.position().digest()).isEqualTo(at.sink.digest);
      lease.close();
      assertThat(at.pages.freePages()).isEqualTo(3);
    }
  }

  @Test
  void signedAndUnsignedWriting_areOneChunkThatKeepsItsSign() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU)) {
      at.put(-1);
      ChunkKey unsigned = new ChunkKey(CacheFixture.KEYSPACE, ChunkHash.ofUnsigned(-1));
      try (ChunkLease lease = at.cache.leasePrefix(List.of(unsigned))) {
        assertThat(lease.size()).isEqualTo(1);
        assertThat(lease.key(0).hash()).hasToString("-1");
      }
    }
  }

  @Test
  void claim_residentKey_keepsTheOldBodyAndIsNoUse() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      at.put(1, 2);
      try (ChunkLease lease = at.cache.newLease()) {
        assertThat(at.cache.claim(key(1), PAGE_BYTES, TOKENS, lease))
            .isEqualTo(new Claim.Resident());
        assertThat(lease.size()).isEqualTo(1);
      }
      at.put(3);
      assertThat(at.has(1)).isFalse();
    }
  }

  @Test
  void commit_losesAgainstAnEarlierOne_andFreesItsPage() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LRU);
        ChunkLease first = at.cache.newLease();
        ChunkLease second = at.cache.newLease()) {
      PendingChunk winner = claimed(at, 1, PAGE_BYTES, first);
      PendingChunk loser = claimed(at, 1, PAGE_BYTES, second);
      winner.body().fill((byte) 1);
      loser.body().fill((byte) 2);
      assertThat(at.cache.commit(winner, first)).isEqualTo(CommitOutcome.STORED);
      assertThat(at.cache.commit(loser, second)).isEqualTo(CommitOutcome.RESIDENT);
      assertThat(second.body(0).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
      assertThat(at.pages.freePages()).isEqualTo(3);
      assertThat(at.cache.position().sequence()).isEqualTo(1);
    }
  }

  private static PendingChunk claimed(CacheFixture at, long hash, int bytes, ChunkLease into) {
    if (at.cache.claim(key(hash), bytes, TOKENS, into) instanceof PendingChunk chunk) {
      return chunk;
    }
    throw new AssertionError("no room");
  }

  @Test
  void pendingChunk_isSettledOnce() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU);
        ChunkLease lease = at.cache.newLease()) {
      PendingChunk chunk = claimed(at, 1, PAGE_BYTES, lease);
      assertThat(at.has(1)).isFalse();
      at.cache.abort(chunk);
      assertThat(at.pages.freePages()).isEqualTo(2);
      assertThatThrownBy(() -> at.cache.abort(chunk)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> at.cache.commit(chunk, 0, lease))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(chunk::body).isInstanceOf(IllegalStateException.class);
      assertThat(at.pages.freePages()).isEqualTo(2);
      assertThat(at.cache.stats().pendingChunks()).isZero();
    }
  }

  @Test
  void commit_intoAClosedLease_isRefusedAndLeaksNothing() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      ChunkLease lease = at.cache.newLease();
      PendingChunk chunk = claimed(at, 1, PAGE_BYTES, lease);
      lease.close();
      assertThatThrownBy(() -> at.cache.commit(chunk, lease))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> at.cache.claim(key(2), PAGE_BYTES, TOKENS, lease))
          .isInstanceOf(IllegalStateException.class);
      assertThat(at.pages.freePages()).isEqualTo(2);
      assertThat(at.has(1)).isFalse();
    }
  }

  @Test
  void foreignLeaseOrChunk_isRefused() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU);
        CacheFixture other = new CacheFixture(2, PolicyName.LRU);
        ChunkLease lease = at.cache.newLease()) {
      PendingChunk chunk = claimed(at, 1, PAGE_BYTES, lease);
      assertThatThrownBy(() -> other.cache.commit(chunk, 0, other.cache.newLease()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> other.cache.claim(key(1), PAGE_BYTES, TOKENS, lease))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(at.cache.commit(chunk, lease)).isEqualTo(CommitOutcome.STORED);
    }
  }

  /** ALLOC-7: a body takes a page whatever its size; a larger one has its own answer. */
  @Test
  void accounting_countsPages() {
    try (CacheFixture at = new CacheFixture(5, PolicyName.LRU)) {
      for (long hash = 1; hash <= 6; hash++) {
        try (ChunkLease lease = at.cache.newLease()) {
          at.cache.commit(claimed(at, hash, 45, lease), lease);
        }
      }
      CacheStats stats = at.cache.stats();
      assertThat(stats.residentChunks()).isEqualTo(5);
      assertThat(stats.residentBytes()).isEqualTo(5 * 45);
      assertThat(stats.removed()).containsEntry(RemovalCause.EVICTED, 1L);
      try (ChunkLease lease = at.cache.newLease()) {
        assertThat(at.cache.claim(key(9), PAGE_BYTES + 1, TOKENS, lease))
            .isEqualTo(new Claim.TooLarge());
      }
      assertThat(at.cache.stats().removed()).containsEntry(RemovalCause.EVICTED, 1L);
      assertThat(at.cache.stats().tooLarge()).isEqualTo(1);
    }
  }

  /** IDX-7: a short body shows nothing of what was in its page before. */
  @Test
  void shortBody_isExactlyAsLongAsItWasStored() {
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU)) {
      at.put(1);
      try (ChunkLease lease = at.cache.newLease()) {
        PendingChunk chunk = claimed(at, 2, 10, lease);
        assertThat(chunk.body().byteSize()).isEqualTo(10);
        chunk.body().fill((byte) 7);
        at.cache.commit(chunk, lease);
        assertThat(lease.body(0).byteSize()).isEqualTo(10);
        assertThat(lease.bytes(0)).isEqualTo(10);
      }
    }
  }

  /** PIN-10: held chunks don't stand in the way of the others. */
  @ParameterizedTest
  @EnumSource
  void everyTenthChunkHeld_theRestCanBeReplaced(PolicyName policy) {
    try (CacheFixture at = new CacheFixture(100, policy)) {
      at.put(LongStream.range(0, 100).toArray());
      List<ChunkLease> held = new ArrayList<>();
      for (long hash = 0; hash < 100; hash += 10) {
        held.add(at.cache.leasePrefix(keys(hash)));
      }
      try (ChunkLease request = at.cache.newLease()) {
        for (long hash = 1000; hash < 1090; hash++) {
          assertThat(at.put(key(hash), request)).isTrue();
        }
        assertThat(at.put(key(1090), request)).isFalse();
        assertThat(at.cache.stats().noSpace()).isEqualTo(1);
      }
      for (long hash = 0; hash < 100; hash++) {
        assertThat(at.has(hash)).isEqualTo(hash % 10 == 0);
      }
      held.forEach(ChunkLease::close);
      assertThat(at.cache.stats().leasedChunks()).isZero();
    }
  }

  /** UAF-4: a slow reader's bytes outlive any eviction, clear and removal. */
  @Test
  void heldChunks_keepTheirBytes() {
    try (CacheFixture at = new CacheFixture(16, PolicyName.LRU)) {
      at.put(1, 2, 3, 4, 5, 6, 7, 8);
      ChunkLease slow = at.cache.leasePrefix(keys(1, 2, 3, 4, 5, 6, 7, 8));
      at.put(LongStream.range(100, 148).toArray());
      assertThat(at.cache.remove(key(1), RemovalCause.REMOVED)).isFalse();
      assertThat(at.cache.clear()).isEqualTo(new Cleared(8, 8L * TOKENS, at.sink.sequence()));
      for (int i = 0; i < slow.size(); i++) {
        assertThat(isStamped(slow.body(i), key(i + 1))).isTrue();
      }
      slow.close();
      assertThat(at.cache.clear().chunks()).isEqualTo(8);
      assertThat(at.pages.freePages()).isEqualTo(16);
    }
  }

  @Test
  void shutdown_pagesOfHeldChunks_areFreedOnceAfterTheLastLease() {
    try (CacheFixture at = new CacheFixture(4, PolicyName.LFU)) {
      at.put(1, 2, 3);
      ChunkLease first = at.cache.leasePrefix(keys(1, 2));
      ChunkLease second = at.cache.leasePrefix(keys(1));
      at.cache.shutdown();
      assertThat(at.cache.position().residentCount()).isZero();
      assertThat(at.cache.position().digest()).isZero();
      assertThat(at.has(1)).isFalse();
      assertThat(at.pages.freePages()).isEqualTo(2);
      assertThat(isStamped(first.body(0), key(1))).isTrue();
      assertThat(first.key(0)).isEqualTo(key(1));
      at.cache.touch(first, 2);
      first.close();
      assertThat(at.pages.freePages()).isEqualTo(3);
      second.close();
      second.close();
      assertThat(at.pages.freePages()).isEqualTo(4);
      assertThat(at.cache.stats().detachedChunks()).isZero();
      assertThat(at.sink.resident).isEmpty();
    }
  }

  @Test
  void lease_closedTwice_letsGoOnce() {
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU)) {
      at.put(1);
      ChunkLease kept = at.cache.leasePrefix(keys(1));
      ChunkLease closed = at.cache.leasePrefix(keys(1));
      closed.close();
      closed.close();
      at.put(2);
      assertThat(at.has(1)).isTrue();
      assertThatThrownBy(() -> closed.body(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> at.cache.touch(closed, 1)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> kept.body(1)).isInstanceOf(IndexOutOfBoundsException.class);
      kept.close();
    }
  }

  @Test
  void remove_unheldChunk_isOneEvent() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      at.put(1);
      assertThat(at.cache.remove(key(1), RemovalCause.MOVED)).isTrue();
      assertThat(at.cache.remove(key(1), RemovalCause.MOVED)).isFalse();
      assertThat(at.cache.stats().removed()).containsEntry(RemovalCause.MOVED, 1L);
      assertThat(at.cache.position()).isEqualTo(new LogPosition(2, 0, 0));
    }
  }

  @Test
  void badArguments_areRefused() {
    try (CacheFixture at = new CacheFixture(1, PolicyName.LRU);
        ChunkLease lease = at.cache.newLease()) {
      assertThatThrownBy(() -> at.cache.claim(key(1), 0, TOKENS, lease))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> at.cache.claim(key(1), 1, -1, lease))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> at.cache.touch(lease, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      PendingChunk chunk = claimed(at, 1, PAGE_BYTES, lease);
      MemorySegment body = chunk.body();
      assertThatThrownBy(() -> body.set(ValueLayout.JAVA_BYTE, PAGE_BYTES, (byte) 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      at.cache.abort(chunk);
    }
  }

  @ParameterizedTest
  @CsvSource({"LRU, 3 4 2 1", "FIFO, 1 2 3 4", "MRU, 1 2 4 3", "LFU, 3 4 2 1"})
  void keysInPolicyOrder_nameTheNextToGoFirst(PolicyName policy, String expected) {
    try (CacheFixture at = new CacheFixture(4, policy)) {
      at.put(1, 2, 3, 4);
      at.read(1, 2);
      List<ChunkKey> inOrder =
          Stream.of(expected.split(" ")).map(Long::parseLong).map(CacheFixture::key).toList();
      assertThat(at.cache.snapshots().keysInPolicyOrder(9)).isEqualTo(inOrder);
      assertThat(at.cache.snapshots().keysInPolicyOrder(2)).isEqualTo(inOrder.subList(0, 2));
      try (ChunkLease held = at.cache.leasePrefix(inOrder.subList(0, 1))) {
        at.put(5);
        assertThat(at.cache.exists(inOrder.get(1))).isFalse();
        assertThat(at.cache.snapshots().keysInPolicyOrder(9))
            .contains(held.key(0), key(5))
            .hasSize(4);
      }
    }
  }

  @Test
  void exists_findsWithoutALease() {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      at.put(1);
      assertThat(at.cache.exists(key(1))).isTrue();
      assertThat(at.cache.exists(key(2))).isFalse();
    }
  }
}

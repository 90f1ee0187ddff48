package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A body that takes the place of a resident one. */
class ReplacingTest {

  private static final BodyForm FORM =
      new BodyForm(1, 0, List.of(new BodyForm.Group(3, List.of(2, 1, 4, 4))));

  private static ChunkSpec replacing(long hash, int bytes) {
    return new ChunkSpec(key(hash), bytes, TOKENS, true, FORM);
  }

  private static Claim claim(CacheFixture at, ChunkSpec spec) throws InterruptedException {
    try (ChunkLease lease = at.cache.newLease()) {
      return at.cache.claim(List.of(spec), new Reserving.Now(), lease).getFirst();
    }
  }

  private static void put(CacheFixture at, long hash, int value) throws InterruptedException {
    try (ChunkLease lease = at.cache.newLease()) {
      PendingChunk chunk = (PendingChunk) claim(at, replacing(hash, PAGE_BYTES));
      chunk.body().fill((byte) value);
      assertThat(at.cache.commit(chunk, lease)).isEqualTo(CommitOutcome.STORED);
    }
  }

  private static int value(ChunkLease lease) {
    return lease.body(0).get(ValueLayout.JAVA_BYTE, PAGE_BYTES - 1);
  }

  @Test
  void replace_isSeenAtTheCommit_andAReaderKeepsTheOldBody() throws Exception {
    try (CacheFixture at = new CacheFixture(3, PolicyName.LRU)) {
      put(at, 1, 10);
      ChunkLease reader = at.cache.leasePrefix(CacheFixture.keys(1));
      PendingChunk chunk = (PendingChunk) claim(at, replacing(1, PAGE_BYTES));
      chunk.body().fill((byte) 20);
      try (ChunkLease before = at.cache.leasePrefix(CacheFixture.keys(1))) {
        assertThat(value(before)).isEqualTo(10);
      }

      try (ChunkLease mine = at.cache.newLease()) {
        at.cache.commit(chunk, mine);
      }

      assertThat(value(reader)).isEqualTo(10);
      try (ChunkLease after = at.cache.leasePrefix(CacheFixture.keys(1))) {
        assertThat(value(after)).isEqualTo(20);
        assertThat(after.form(0)).isEqualTo(FORM);
      }
      assertThat(at.cache.stats().detachedChunks()).isEqualTo(1);
      reader.close();
      assertThat(at.cache.stats().freePages()).isEqualTo(2);
      assertThat(at.cache.stats().removed()).containsEntry(RemovalCause.REPLACED, 1L);
      assertThat(at.cache.position().digest()).isEqualTo(at.sink.digest);
    }
  }

  @Test
  void twoWhoReplaceAtOnce_theLastCommitStays() throws Exception {
    try (CacheFixture at = new CacheFixture(3, PolicyName.LRU);
        ChunkLease lease = at.cache.newLease()) {
      PendingChunk first = (PendingChunk) claim(at, replacing(1, PAGE_BYTES));
      PendingChunk second = (PendingChunk) claim(at, replacing(1, PAGE_BYTES));
      second.body().fill((byte) 2);
      at.cache.commit(second, lease);
      first.body().fill((byte) 1);
      at.cache.commit(first, lease);
      try (ChunkLease after = at.cache.leasePrefix(CacheFixture.keys(1))) {
        assertThat(value(after)).isEqualTo(1);
      }
    }
  }

  @Test
  void whatIsRefused_isGone() throws Exception {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      put(at, 1, 10);
      assertThat(claim(at, replacing(1, PAGE_BYTES + 1))).isInstanceOf(Claim.TooLarge.class);
      assertThat(at.has(1)).isFalse();

      put(at, 1, 10);
      put(at, 2, 10);
      try (ChunkLease all = at.cache.leasePrefix(CacheFixture.keys(1, 2))) {
        assertThat(claim(at, replacing(1, PAGE_BYTES))).isInstanceOf(Claim.NoSpace.class);
        assertThat(at.has(1)).isFalse();
        assertThat(value(all)).isEqualTo(10);
      }
      assertThat(at.cache.stats().freePages()).isEqualTo(1);
      assertThat(at.cache.position().digest()).isEqualTo(at.sink.digest);
    }
  }

  @Test
  void aborted_theOldBodyStays_andAFormIsForgottenWithItsChunk() throws Exception {
    try (CacheFixture at = new CacheFixture(2, PolicyName.LRU)) {
      put(at, 1, 10);
      at.cache.abort((PendingChunk) claim(at, replacing(1, PAGE_BYTES)));
      assertThat(at.has(1)).isTrue();

      at.cache.clear();
      at.put(2, 3);
      try (ChunkLease others = at.cache.leasePrefix(CacheFixture.keys(2, 3))) {
        assertThat(others.form(0)).isNull();
        assertThat(others.form(1)).isNull();
      }
    }
  }
}

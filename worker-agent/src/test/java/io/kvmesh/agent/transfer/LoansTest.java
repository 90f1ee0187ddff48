package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.event.EventOutbox;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoansTest {

  private static final PeerId ONE = peer(1);
  private static final PeerId TWO = peer(2);

  private final AtomicLong now = new AtomicLong();
  private final PageArena arena = PageArena.anonymous(4096);
  private final ChunkCache cache =
      new ChunkCache(new PageAllocator(arena, 4096), PolicyName.LRU.create(1), new EventOutbox(10));
  private final Loans loans =
      new Loans(new Loans.Limits(100, 150, 50, 2, Duration.ofNanos(1000)), now::get);

  private static PeerId peer(int id) {
    Multipart message =
        new Multipart(
            List.of(Frame.of(new byte[] {(byte) id}), Frame.of(new byte[] {1})), "nowhere");
    try {
      return Envelope.splitRouted(message).envelope().peer();
    } catch (EnvelopeException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void unmap() {
    arena.close();
  }

  @Test
  void allow_isBoundedForEachPeerAndInAll() {
    loans.lend("a", ONE, cache.newLease(), 60, false);

    assertThat(loans.allow("a", 40, false)).isTrue();
    assertThat(loans.allow("a", 41, false)).as("100 for a peer").isFalse();
    assertThat(loans.allow("b", 90, false)).isTrue();
    assertThat(loans.allow("b", 91, false)).as("150 in all").isFalse();
    assertThat(loans.openBytes()).isEqualTo(60);
  }

  @Test
  void end_ofALoanOfAnotherConnection_isRefused() {
    ChunkLease lease = cache.newLease();
    long loan = loans.lend("a", ONE, lease, 60, false);

    assertThat(loans.end(TWO, loan)).isFalse();
    assertThat(loans.end(ONE, loan + 1)).isFalse();
    assertThat(lease.isClosed()).isFalse();
    assertThat(loans.end(ONE, loan)).isTrue();
    assertThat(lease.isClosed()).isTrue();
    assertThat(loans.end(ONE, loan)).as("twice").isFalse();
    assertThat(loans.openBytes()).isZero();
    assertThat(loans.openLoans()).isZero();
  }

  @Test
  void endAllOf_aConnection_leavesTheOthers() {
    ChunkLease one = cache.newLease();
    ChunkLease two = cache.newLease();
    loans.lend("a", ONE, one, 10, false);
    loans.lend("a", ONE, cache.newLease(), 10, false);
    loans.lend("a", TWO, two, 10, false);

    assertThat(loans.endAllOf(ONE)).isEqualTo(2);

    assertThat(one.isClosed()).isTrue();
    assertThat(two.isClosed()).isFalse();
    assertThat(loans.openBytes()).isEqualTo(10);
  }

  @Test
  void loan_pastItsDeadline_isOverdueButNotTakenBack() {
    ChunkLease lease = cache.newLease();
    long loan = loans.lend("a", ONE, lease, 10, false);
    now.set(999);
    assertThat(loans.markOverdue()).isZero();
    now.set(1000);

    assertThat(loans.markOverdue()).isEqualTo(1);
    assertThat(loans.markOverdue()).as("counted once").isZero();

    assertThat(lease.isClosed()).isFalse();
    assertThat(loans.overdueLoans()).isEqualTo(1);
    assertThat(loans.allow("a", 10, false)).isTrue();
    loans.end(ONE, loan);
    assertThat(loans.overdueLoans()).isZero();
  }

  @Test
  void peer_withTooManyOverdueLoans_getsNoMore() {
    loans.lend("a", ONE, cache.newLease(), 1, false);
    long second = loans.lend("a", ONE, cache.newLease(), 1, false);
    now.set(2000);
    loans.markOverdue();

    assertThat(loans.allow("a", 1, false)).isFalse();
    assertThat(loans.allow("b", 1, false)).isTrue();
    loans.end(ONE, second);
    assertThat(loans.allow("a", 1, false)).isTrue();
  }

  @Test
  void endAll_closesEveryLease() {
    ChunkLease lease = cache.newLease();
    loans.lend("a", ONE, lease, 10, false);

    loans.endAll();

    assertThat(lease.isClosed()).isTrue();
    assertThat(loans.openLoans()).isZero();
  }

  @Test
  void sealedBytes_areBoundedByThemselves() {
    assertThat(loans.allow("a", 90, true)).as("a first one, however long").isTrue();
    long loan = loans.lend("a", ONE, cache.newLease(), 40, true);
    assertThat(loans.allow("b", 10, true)).isTrue();
    assertThat(loans.allow("b", 11, true)).isFalse();
    assertThat(loans.allow("b", 11, false)).as("as it is").isTrue();
    loans.end(ONE, loan);
    assertThat(loans.allow("b", 11, true)).isTrue();
  }
}

package io.kvmesh.agent.cache;

import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A batch that waits for room; whoever makes room answers it. Guarded by the cache's lock. */
final class WaitingClaim {

  private final List<ChunkSpec> specs;
  private final ChunkLease into;
  private final Condition answered;
  private @Nullable List<Claim> answer;

  WaitingClaim(List<ChunkSpec> specs, ChunkLease into, Condition answered) {
    this.specs = specs;
    this.into = into;
    this.answered = answered;
  }

  List<ChunkSpec> specs() {
    return specs;
  }

  ChunkLease into() {
    return into;
  }

  void answer(List<Claim> claims) {
    answer = claims;
    answered.signal();
  }

  /** Waits for an answer; null if none comes in time. */
  @Nullable List<Claim> await(long nanos) throws InterruptedException {
    long left = nanos;
    while (answer == null && left > 0) {
      left = answered.awaitNanos(left);
    }
    return answer;
  }

  @Nullable List<Claim> answer() {
    return answer;
  }
}

package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a worker says of itself, held against another one that has the same identity or address.
 *
 * @param worker who claims
 * @param announcement what it says of itself
 */
record Claim(WorkerId worker, Announcement announcement) {

  /** Whether both can't be: they claim one address, or one identity at two. */
  boolean clashesWith(WorkerView other) {
    Announcement held = other.announcement();
    if (held == null) {
      return false;
    }
    boolean sameDoor = Conflicts.sameAddress(held, announcement);
    if (other.id().equals(worker)) {
      return !sameDoor;
    }
    String url = announcement.peerInitUrl();
    return sameDoor || (url != null && !url.isBlank() && url.equals(held.peerInitUrl()));
  }

  /** The same of one that may be alive. */
  boolean isOpposedBy(WorkerView other) {
    return other.state() != WorkerState.SILENT && clashesWith(other);
  }

  /**
   * The wait for signs of life of those that oppose the claim: an answer of one at its control
   * port; a heartbeat or a registration since the claim; any message once half of the wait is over.
   * Of a message nobody can tell how long it was on its way, and a worker that is gone may have
   * sent many just before. Belongs to the thread that looks.
   */
  static final class Wait {

    private final Claim claim;
    private final long halfNanos;
    private final long endNanos;
    private final Map<WorkerView, CompletableFuture<Boolean>> answers;
    private final CompletableFuture<Optional<WorkerView>> outcome = new CompletableFuture<>();
    private Map<WorkerId, Long> offsetsAtHalf = Map.of();

    /**
     * @param answers the others as they were at the claim, and whether somebody has answered at
     *     their control port
     */
    Wait(
        Claim claim,
        Map<WorkerView, CompletableFuture<Boolean>> answers,
        long nowNanos,
        Duration wait) {
      this.claim = claim;
      this.answers = answers;
      this.halfNanos = nowNanos + wait.toNanos() / 2;
      this.endNanos = nowNanos + wait.toNanos();
    }

    Claim claim() {
      return claim;
    }

    /** The other one that is alive; nobody, if there is none. */
    CompletableFuture<Optional<WorkerView>> outcome() {
      return outcome;
    }

    /** One that has given a sign of life; null if none has. */
    @Nullable WorkerView alive(WorkerRegistry registry) {
      return answers.entrySet().stream()
          .flatMap(
              rival ->
                  standing(registry, rival.getKey())
                      .filter(now -> isAlive(rival.getKey(), rival.getValue(), now)))
          .findFirst()
          .orElse(null);
    }

    private Stream<WorkerView> standing(WorkerRegistry registry, WorkerView then) {
      return registry.worker(then.id()).filter(claim::isOpposedBy).stream();
    }

    private boolean isAlive(WorkerView then, CompletableFuture<Boolean> answered, WorkerView now) {
      Long half = offsetsAtHalf.get(now.id());
      return answered.getNow(false)
          || now.epoch() > then.epoch()
          || now.lastHeartbeatMillis() > then.lastHeartbeatMillis()
          || (half != null && now.appliedOffset() > half);
    }

    /** Whether nobody stands in the way any more, or the time is over. */
    boolean isOver(WorkerRegistry registry, long nowNanos) {
      if (nowNanos - halfNanos >= 0 && offsetsAtHalf.isEmpty()) {
        offsetsAtHalf =
            answers.keySet().stream()
                .flatMap(then -> standing(registry, then))
                .collect(Collectors.toMap(WorkerView::id, WorkerView::appliedOffset));
      }
      return nowNanos - endNanos >= 0
          || answers.keySet().stream()
              .noneMatch(then -> standing(registry, then).findAny().isPresent());
    }
  }
}

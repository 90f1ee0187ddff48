package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of two processes that use one identity: counts each message of the second, warns once a
 * pair. Any thread.
 *
 * <p>A process that came back looks like a second one at first. But a process that is gone gives no
 * heartbeat; so there are two only if one of the first came after one of the second.
 */
final class Conflicts {

  private static final Logger LOG = LoggerFactory.getLogger(Conflicts.class);
  private static final int MAX_REMEMBERED = 1000;

  /** The view has yet to read what the log had when the second one was first heard of. */
  private static final long NOT_READ = Long.MAX_VALUE;

  private final WorkerRegistry registry;
  private final LogView view;
  private final Duration holdFor;
  private final FrontCounts counts;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** When the first one gave its last heartbeat before the second was first heard of. */
  private final ConcurrentMap<Pair, Long> heard = new ConcurrentHashMap<>();

  /** A process that the log knows, and another one of its identity. */
  private record Pair(
      WorkerId worker, long epoch, String ip, int port, @Nullable Long secondEpoch) {}

  /**
   * @param holdFor the view reads within that time what the log has, or isn't waited for
   */
  Conflicts(WorkerRegistry registry, LogView view, Duration holdFor, FrontCounts counts) {
    this.registry = registry;
    this.view = view;
    this.holdFor = holdFor;
    this.counts = counts;
  }

  /** Whether both are at one address, where only one process can listen. */
  static boolean sameAddress(Announcement one, Announcement other) {
    return one.ip().equals(other.ip()) && one.port() == other.port();
  }

  /**
   * Whether the known process has given a heartbeat since the second was first heard of: then both
   * live, which is counted.
   *
   * @param secondEpoch null if it told none
   */
  boolean bothLive(WorkerView known, Announcement second, @Nullable Long secondEpoch) {
    Pair pair = new Pair(known.id(), known.epoch(), second.ip(), second.port(), secondEpoch);
    Long before = heard.get(pair);
    if (before == null) {
      remember(pair);
      return false;
    }
    Announcement first = known.announcement();
    if (first == null || known.lastHeartbeatMillis() <= before) {
      return false;
    }
    note(known.id(), first, second);
    return true;
  }

  private void remember(Pair pair) {
    if (heard.size() >= MAX_REMEMBERED) {
      heard.clear();
    }
    heard.put(pair, NOT_READ);
    var _ =
        view.caughtUp(holdFor)
            .thenAccept(
                read -> heard.computeIfPresent(pair, (same, before) -> read ? last(pair) : null));
  }

  /** The first one's last heartbeat by now; null if it isn't that process any more. */
  private @Nullable Long last(Pair pair) {
    return registry
        .worker(pair.worker)
        .filter(known -> known.epoch() == pair.epoch)
        .map(WorkerView::lastHeartbeatMillis)
        .orElse(null);
  }

  /** Both live. */
  void note(WorkerId worker, Announcement known, Announcement now) {
    counts.conflict();
    if (told.size() >= MAX_REMEMBERED) {
      told.clear();
    }
    String pair =
        "%s at %s:%d while it is alive at %s:%d"
            .formatted(worker, now.ip(), now.port(), known.ip(), known.port());
    if (told.add(pair)) {
      LOG.warn("Two processes use one identity: {}", pair);
    }
  }
}

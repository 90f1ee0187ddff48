package io.kvmesh.controller.ingest;

import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.event.LogEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A process of an agent: its cache, and an outbox that is bounded and cuts snapshots. */
final class SimulatedAgent {

  private static final int OUTBOX = 24;

  final TestAgent cache;
  private final Random random;
  private final Deque<LogEvent> outbox = new ArrayDeque<>();
  private boolean overflowed;
  private boolean snapshotDue = true;
  private TestAgent.@Nullable Snapshot snapshot;
  private Iterator<Long> walk = List.<Long>of().iterator();

  SimulatedAgent(String instance, Random random) {
    this.cache = new TestAgent(instance);
    this.random = random;
  }

  /** Some admits and evicts. */
  void work() {
    for (int i = random.nextInt(4); i >= 0; i--) {
      long hash = random.nextInt(40);
      if (cache.resident().contains(hash)) {
        offer(cache.evictOne(hash));
      } else if (cache.resident().size() < 25) {
        offer(cache.admitOne(hash));
      }
    }
  }

  private void offer(KVOpEvent operation) {
    if (overflowed || outbox.size() >= OUTBOX) {
      overflowed = true;
      snapshotDue = true;
      snapshot = null;
    } else {
      outbox.add(cache.batch(List.of(operation)));
    }
  }

  void heartbeat() {
    if (!overflowed) {
      outbox.add(cache.heartbeat());
    }
  }

  /** A view is suspect, or differs. */
  void snapshotWanted() {
    snapshotDue = true;
  }

  /** Cuts the next part of a snapshot, while the outbox is under half full. */
  void cut() {
    if (outbox.isEmpty()) {
      overflowed = false;
    }
    if (overflowed || outbox.size() >= OUTBOX / 2) {
      return;
    }
    if (snapshot == null) {
      if (snapshotDue) {
        snapshotDue = false;
        snapshot = cache.newSnapshot();
        walk = List.copyOf(cache.resident()).iterator();
        outbox.add(snapshot.start());
      }
    } else if (walk.hasNext()) {
      long hash = walk.next();
      if (cache.resident().contains(hash)) {
        outbox.add(snapshot.batch(hash));
      }
    } else {
      outbox.add(snapshot.end());
      snapshot = null;
    }
  }

  boolean isCutting() {
    return snapshot != null || snapshotDue;
  }

  /** The next event to go out. */
  @Nullable LogEvent poll() {
    return outbox.poll();
  }
}

package io.kvmesh.benchmarks.index;

import io.kvmesh.common.wire.OpType;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.ingest.MemoryFeed;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A view in memory in which each worker of a fleet holds as many chunks. One thread. */
final class FilledIndex {

  private static final int FILL_BATCH = 1_000;

  private final MemoryIndex index = new MemoryIndex();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final MemoryFeed feed = MemoryFeed.of(index, registry, Duration.ofSeconds(5));
  private final Fleet fleet;
  private final int chunksEach;

  /** Fills it. */
  FilledIndex(int workers, int chunksEach) {
    this.fleet = new Fleet(workers);
    this.chunksEach = chunksEach;
    for (int worker = 0; worker < workers; worker++) {
      feed.apply(fleet.up(worker));
    }
    // As agents do, side by side.
    for (int first = 0; first < chunksEach; first += FILL_BATCH) {
      for (int worker = 0; worker < workers; worker++) {
        fill(worker, first);
      }
    }
    feed.publish();
  }

  private void fill(int worker, int first) {
    int count = Math.min(FILL_BATCH, chunksEach - first);
    feed.apply(fleet.batch(worker, OpType.ADMIT, first, count));
  }

  /** A worker of the fleet starts a life and admits all its chunks. */
  void fillAnew(int worker) {
    feed.apply(fleet.up(worker));
    for (int first = 0; first < chunksEach; first += FILL_BATCH) {
      fill(worker, first);
    }
    feed.publish();
  }

  void apply(ConsumerRecord<byte[], byte[]> record) {
    feed.apply(record);
  }

  MemoryIndex index() {
    return index;
  }

  WorkerRegistry registry() {
    return registry;
  }

  Fleet fleet() {
    return fleet;
  }

  int chunksEach() {
    return chunksEach;
  }

  long placements() {
    return (long) fleet.size() * chunksEach;
  }

  /** Fails unless all that was written has been applied. */
  void requireClean() {
    var counts = feed.counts();
    if (counts.garbage() + counts.gaps() + counts.refused() + counts.duplicates() != 0) {
      throw new IllegalStateException("Not all was applied: " + counts);
    }
  }
}

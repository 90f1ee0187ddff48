package io.kvmesh.benchmarks.index;

import io.kvmesh.common.wire.OpType;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Lookups while another thread admits and evicts without a break. What worker 0 holds never
 * changes, so each lookup must find it whole.
 */
final class BesideWriter {

  private static final int TURNS = 15_000;

  private final FilledIndex filled;

  /**
   * What came of it.
   *
   * @param wrong answers that were not the whole prefix
   */
  record Outcome(
      double p50Nanos, double p99Nanos, int lookups, int wrong, double operationsPerSecond) {}

  BesideWriter(FilledIndex filled) {
    this.filled = filled;
  }

  Outcome measure() throws InterruptedException {
    List<ConsumerRecord<byte[], byte[]>> records = draw();
    double[] seconds = new double[1];
    Thread writer =
        Thread.ofPlatform()
            .name("writer")
            .start(
                () -> seconds[0] = ApplyRounds.nanosOf(() -> records.forEach(filled::apply)) / 1e9);
    LongArrayList nanos = new LongArrayList();
    int wrong = 0;
    while (writer.isAlive()) {
      long[] hashes = Fleet.hashes(0, nanos.size() % 1_000, LookupRounds.PREFIX);
      long begin = System.nanoTime();
      var matches = filled.index().prefixes(Fleet.KEYSPACE, hashes, worker -> true);
      nanos.add(System.nanoTime() - begin);
      wrong += matches.size() == 1 && matches.getFirst().length() == hashes.length ? 0 : 1;
    }
    writer.join();
    filled.requireClean();
    long[] sorted = nanos.toLongArray();
    Arrays.sort(sorted);
    return new Outcome(
        sorted[sorted.length / 2],
        sorted[sorted.length / 100 * 99],
        sorted.length,
        wrong,
        records.size() * ApplyRounds.BATCH / seconds[0]);
  }

  /** The workers but the first admit and evict the same chunks again and again. */
  private List<ConsumerRecord<byte[], byte[]>> draw() {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>(2 * TURNS);
    for (int turn = 0; turn < TURNS; turn++) {
      int worker = 1 + turn % (filled.fleet().size() - 1);
      long first = 1L << 30;
      records.add(filled.fleet().batch(worker, OpType.ADMIT, first, ApplyRounds.BATCH));
      records.add(filled.fleet().batch(worker, OpType.EVICT, first, ApplyRounds.BATCH));
    }
    return records;
  }
}

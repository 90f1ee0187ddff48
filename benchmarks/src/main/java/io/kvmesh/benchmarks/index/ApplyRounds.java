package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.common.wire.OpType;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Batches of 100 operations, from bytes to the view in memory; as many admits as evicts, so that
 * the view stays as large. Beside it a bare map that is given the same hashes, not encoded.
 */
final class ApplyRounds {

  static final int BATCH = 100;
  private static final int TURNS = 1_000;
  private static final int OPERATIONS = 2 * TURNS * BATCH;

  private final FilledIndex filled;
  private final Long2IntOpenHashMap bare;
  private long applied;

  /** Nanoseconds an operation, of each round. */
  record Nanos(Samples applied, Samples bare) {}

  ApplyRounds(FilledIndex filled) {
    this.filled = filled;
    this.bare = new Long2IntOpenHashMap((int) filled.placements());
    for (int worker = 0; worker < filled.fleet().size(); worker++) {
      for (int number = 0; number < filled.chunksEach(); number++) {
        bare.put(Fleet.hash(worker, number), worker + 1);
      }
    }
  }

  Nanos measure(int warmUps, int rounds) {
    double[] applying = new double[rounds];
    double[] bareMap = new double[rounds];
    for (int round = -warmUps; round < rounds; round++) {
      int at = Math.max(round, 0);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>(2 * TURNS);
      List<long[]> hashes = new ArrayList<>(2 * TURNS);
      draw(records, hashes);
      bareMap[at] = nanosOf(() -> putAndRemove(hashes)) / OPERATIONS;
      applying[at] = nanosOf(() -> records.forEach(filled::apply)) / OPERATIONS;
    }
    filled.requireClean();
    return new Nanos(new Samples(applying), new Samples(bareMap));
  }

  private void draw(List<ConsumerRecord<byte[], byte[]>> records, List<long[]> hashes) {
    Fleet fleet = filled.fleet();
    for (int turn = 0; turn < TURNS; turn++) {
      int worker = turn % fleet.size();
      long oldest = applied / fleet.size() * BATCH;
      long newest = filled.chunksEach() + oldest;
      records.add(fleet.batch(worker, OpType.ADMIT, newest, BATCH));
      hashes.add(Fleet.hashes(worker, newest, BATCH));
      records.add(fleet.batch(worker, OpType.EVICT, oldest, BATCH));
      hashes.add(Fleet.hashes(worker, oldest, BATCH));
      applied++;
    }
  }

  private void putAndRemove(List<long[]> hashes) {
    for (int i = 0; i < hashes.size(); i += 2) {
      for (long hash : hashes.get(i)) {
        bare.put(hash, 1);
      }
      for (long hash : hashes.get(i + 1)) {
        bare.remove(hash);
      }
    }
  }

  static double nanosOf(Runnable work) {
    long begin = System.nanoTime();
    work.run();
    return System.nanoTime() - begin;
  }
}

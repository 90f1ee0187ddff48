package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Operations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RACE-3: many workers come, list chunks that they share with all others, and go, at once. The
 * property {@code kvmesh.test.soak} says for how many seconds.
 */
@Timeout(3600)
final class IndexRaceTest {

  private static final Logger LOG = LoggerFactory.getLogger(IndexRaceTest.class);
  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 2));
  private static final int WRITERS = 20;
  private static final int KEYS = 50_000;
  private static final int BATCH = 200;
  private static final String LOCATION = "LocalCPUBackend";
  private static final Keyspace KEYSPACE = Keyspace.parse("llama@1@0@half");

  private final MemoryIndex index = new MemoryIndex();

  @Test
  void workersThatComeAndGo_leaveWhatTheirModelsHold() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1)) {
      long end = System.nanoTime() + SOAK.toNanos();
      List<Writer> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(new Writer(index, i));
      }
      List<Callable<Long>> tasks = new ArrayList<>();
      writers.forEach(writer -> tasks.add(() -> writer.until(end)));
      tasks.add(() -> read(end));
      long changes = 0;
      for (Future<Long> each : threads.invokeAll(tasks)) {
        changes += each.get();
      }
      LOG.info("{} changes and reads, {} placements left", changes, index.entries());
      requireModels(writers);
    }
  }

  private long read(long end) {
    Random random = new Random(WRITERS);
    long reads = 0;
    do {
      long[] hashes = random.longs(10, 0, KEYS).toArray();
      for (PrefixMatch match : index.prefixes(KEYSPACE, hashes, worker -> true)) {
        assertThat(match.length()).isBetween(1, hashes.length);
      }
      Collection<Placement> holders = index.holders(KEYSPACE, hashes[0]);
      assertThat(new HashSet<>(holders)).as("each once").hasSameSizeAs(holders);
      index.sweep();
      reads++;
    } while (System.nanoTime() < end);
    return reads;
  }

  private void requireModels(List<Writer> writers) {
    long placements = 0;
    for (Writer writer : writers) {
      assertThat(index.totals(writer.id)).isEqualTo(writer.totals());
      placements += writer.held.cardinality();
    }
    for (int key = 0; key < KEYS; key++) {
      Set<Placement> expected = new HashSet<>();
      for (Writer writer : writers) {
        if (writer.held.get(key)) {
          expected.add(new Placement(writer.id, LOCATION));
        }
      }
      if (!new HashSet<>(index.holders(KEYSPACE, key)).equals(expected)) {
        throw new AssertionError("key " + key + ": not " + expected);
      }
    }
    while (index.sweep()) {
      // In steps, until all of those who went is freed.
    }
    assertThat(index.entries()).isEqualTo(placements);
  }

  /** One thread's worker: each life is another instance. */
  private static final class Writer {

    private final MemoryIndex index;
    private final int number;
    private final Random random;
    private final BitSet held = new BitSet(KEYS);
    private WorkerId id;
    private int lives;
    private long offset = -1;

    Writer(MemoryIndex index, int number) {
      this.index = index;
      this.number = number;
      this.random = new Random(number);
      this.id = nextLife();
    }

    private WorkerId nextLife() {
      return new WorkerId("worker-%d-%d".formatted(number, lives++), 0);
    }

    long until(long end) {
      long changes = 0;
      do {
        if (random.nextInt(20) == 0) {
          goAway();
        } else {
          operations();
        }
        changes++;
      } while (System.nanoTime() < end);
      return changes;
    }

    private void goAway() {
      if (offset >= 0) {
        apply(IndexChanges.forget(id, offset, offset + 1));
        assertThat(index.totals(id)).isEqualTo(KeyTotals.NONE);
        held.clear();
        id = nextLife();
        offset = -1;
      }
    }

    private void operations() {
      boolean admit = random.nextInt(3) > 0;
      int first = random.nextInt(KEYS - BATCH);
      long[] bits = new long[BATCH];
      boolean[] admits = new boolean[BATCH];
      for (int i = 0; i < BATCH; i++) {
        bits[i] = (long) first + i;
        admits[i] = admit;
      }
      held.set(first, first + BATCH, admit);
      apply(
          IndexChanges.change(
              id, offset, offset + 1, new Operations(LOCATION, KEYSPACE, bits, admits, false)));
      offset++;
      assertThat(index.prefix(id, LOCATION, KEYSPACE, bits)).isEqualTo(admit ? BATCH : 0);
    }

    private void apply(WorkerChange change) {
      assertThat(index.apply(change)).isInstanceOf(ChangeOutcome.Applied.class);
    }

    KeyTotals totals() {
      long digest =
          held.stream().mapToLong(key -> PlacementDigest.mix(KEYSPACE.digest(), key)).sum();
      return new KeyTotals(held.cardinality(), digest);
    }
  }
}

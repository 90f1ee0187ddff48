package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Operations;
import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class MemoryIndexTest extends ChunkIndexContract {

  @Override
  protected ChunkIndex create() {
    return new MemoryIndex();
  }

  @Override
  protected int randomChanges() {
    return 20_000;
  }

  @Override
  protected void betweenChanges() {
    memory().sweep();
  }

  @Test
  void clear_dropsEveryWorker() {
    admit(A, CPU, LLAMA, 1);
    admit(B, CPU, LLAMA, 1);

    memory().clear();

    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().countByKeyspace()).isEmpty();
  }

  @Test
  void sweep_endsOnceAllOfADroppedWorkerIsFreed() {
    admit(A, CPU, LLAMA, LongStream.range(0, 100_000).toArray());
    admit(B, CPU, LLAMA, LongStream.range(50_000, 100_000).toArray());
    assertThat(memory().sweep()).isFalse();

    index().apply(IndexChanges.change(A, 0, 2, new Drop()));

    int sweeps = 1;
    while (memory().sweep()) {
      sweeps++;
    }
    assertThat(sweeps).isLessThanOrEqualTo(256);
    assertThat(index().totals(B).count()).isEqualTo(50_000);
    assertThat(index().prefix(B, CPU, LLAMA, LongStream.range(50_000, 100_000).toArray()))
        .isEqualTo(50_000);
  }

  @Test
  void evictOfOneHolderBesideAdmitOfAnother_losesNeither() throws Exception {
    int rounds = 5_000;
    CyclicBarrier barrier = new CyclicBarrier(2);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    admit(A, CPU, LLAMA, 7);
    admit(B, CPU, LLAMA, 1);
    Thread evicting =
        Thread.ofPlatform().start(() -> swap(barrier, rounds, new Swap(A, 0, true), failure));
    swap(barrier, rounds, new Swap(B, 1, false), failure);
    evicting.join();

    assertThat(failure).hasNullValue();
  }

  /** A holder that in even rounds takes the chunk (or gives it away), in odd ones the reverse. */
  private record Swap(
      io.kvmesh.common.key.WorkerId worker, long firstOffset, boolean startsHolding) {}

  private void swap(
      CyclicBarrier barrier, int rounds, Swap swap, AtomicReference<Throwable> failure) {
    long held = swap.firstOffset();
    try {
      for (int i = 0; i < rounds; i++) {
        boolean admits = (i % 2 == 0) != swap.startsHolding();
        barrier.await();
        long offset = held + 2;
        index()
            .apply(
                IndexChanges.change(
                    swap.worker(),
                    held,
                    offset,
                    new Operations(CPU, LLAMA, new long[] {7}, new boolean[] {admits}, false)));
        held = offset;
        barrier.await();
        assertThat(index().holders(LLAMA, 7)).hasSize(1);
        assertThat(index().prefix(swap.worker(), CPU, LLAMA, new long[] {7}))
            .isEqualTo(admits ? 1 : 0);
        barrier.await();
      }
    } catch (InterruptedException | BrokenBarrierException | AssertionError e) {
      failure.compareAndSet(null, e);
      barrier.reset();
    }
  }

  @Test
  void readers_seeEveryChunkThatStays_whileOthersComeAndGo() throws Exception {
    long[] staying = LongStream.range(0, 2_000).map(i -> i * 3).toArray();
    admit(A, CPU, LLAMA, staying);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    while (!stop.get()) {
                      assertThat(index().prefix(A, CPU, LLAMA, staying)).isEqualTo(staying.length);
                      assertThat(index().prefixes(LLAMA, staying, worker -> worker.equals(A)))
                          .containsExactly(new PrefixMatch(A, CPU, staying.length));
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });

    long held = -1;
    long[] passing = LongStream.range(0, 6_000).toArray();
    boolean[] admits = new boolean[passing.length];
    for (int round = 0; round < 200; round++) {
      Arrays.fill(admits, round % 4 < 3);
      ChangeStep step =
          round % 4 == 2 ? new Drop() : new Operations(CPU, LLAMA, passing, admits, false);
      index().apply(IndexChanges.change(B, held, round, step));
      held = round;
      memory().sweep();
    }
    stop.set(true);
    reader.join();

    assertThat(failure).hasNullValue();
  }

  private MemoryIndex memory() {
    return (MemoryIndex) index();
  }

  @Test
  void full_admitsNoMore_saysHowMany_andIsRightForTheRest() {
    MemoryIndex small = new MemoryIndex(10);
    apply(small, A, -1, 0, true, LongStream.range(0, 8).toArray());
    assertThat(small.hasRoom()).isTrue();

    assertThat(apply(small, B, -1, 1, true, 0, 1, 2, 100)).isEqualTo(2);

    assertThat(small.entries()).isEqualTo(10);
    assertThat(small.hasRoom()).isFalse();
    assertThat(small.holders(LLAMA, 0)).hasSize(2);
    assertThat(small.holders(LLAMA, 2)).containsExactly(new Placement(A, CPU));
    assertThat(small.holders(LLAMA, 100)).isEmpty();
    assertThat(small.totals(B).count()).isEqualTo(2);
    assertThat(apply(small, A, 0, 2, true, 0, 1)).as("what is there").isZero();

    assertThat(apply(small, A, 2, 3, false, 4, 5, 6, 7)).isZero();
    assertThat(apply(small, B, 1, 4, true, 2, 100)).isZero();
    assertThat(small.hasRoom()).isTrue();
    assertThat(small.prefix(B, CPU, LLAMA, new long[] {0, 1, 2, 100})).isEqualTo(4);
  }

  @Test
  void full_ofWhatIsGone_isSweptFirst() {
    MemoryIndex small = new MemoryIndex(1_000);
    apply(small, A, -1, 0, true, LongStream.range(0, 1_000).toArray());
    small.forget(A);

    assertThat(apply(small, B, -1, 1, true, LongStream.range(500, 1_500).toArray())).isZero();

    assertThat(small.entries()).isEqualTo(1_000);
    assertThat(small.totals(B).count()).isEqualTo(1_000);
  }

  @Test
  void constantWorkingSet_takesConstantMemory() {
    MemoryIndex index = new MemoryIndex();
    int resident = 2_000;
    long[] capacities = new long[51];
    long[] offsets = {-1, -1, -1, -1, -1};
    for (int round = 0; round <= 50; round++) {
      for (int worker = 0; worker < offsets.length; worker++) {
        WorkerId id = new WorkerId("worker-" + worker, 0);
        long first = (long) round * resident;
        long[] added = LongStream.range(first, first + resident).toArray();
        apply(index, id, offsets[worker], 2L * round, true, added);
        long[] gone = LongStream.range(first - resident, first).toArray();
        apply(index, id, 2L * round, 2L * round + 1, false, gone);
        offsets[worker] = 2L * round + 1;
      }
      capacities[round] = index.capacity();
    }
    assertThat(index.entries()).isEqualTo((long) resident * offsets.length);
    assertThat(capacities[25]).isBetween(capacities[5] * 95 / 100, capacities[5] * 105 / 100);
    assertThat(capacities[50]).isBetween(capacities[5] * 95 / 100, capacities[5] * 105 / 100);
  }

  /** How many found no room. */
  private static long apply(
      MemoryIndex index, WorkerId worker, long held, long offset, boolean admit, long... hashes) {
    boolean[] admits = new boolean[hashes.length];
    Arrays.fill(admits, admit);
    ChangeOutcome outcome =
        index.apply(
            IndexChanges.change(
                worker, held, offset, new Operations(CPU, LLAMA, hashes, admits, false)));
    assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
    return ((ChangeOutcome.Applied) outcome).unplaced();
  }
}

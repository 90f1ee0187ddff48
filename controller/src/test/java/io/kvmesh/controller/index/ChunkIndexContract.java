package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Operations;
import io.kvmesh.controller.index.ChangeStep.SnapshotApply;
import io.kvmesh.controller.index.ChangeStep.SnapshotBegin;
import io.kvmesh.controller.index.ChangeStep.SnapshotKeys;
import io.kvmesh.controller.index.ChangeStep.SnapshotVoid;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What every view of the log must do. */
public abstract class ChunkIndexContract extends IndexModelContract {

  @Test
  void admit_chunkIsHeldThere() {
    admit(A, CPU, LLAMA, 1, 2, 3);

    assertThat(index().prefix(A, CPU, LLAMA, new long[] {1, 2, 3, 4})).isEqualTo(3);
    assertThat(index().holders(LLAMA, 2)).containsExactly(new Placement(A, CPU));
    assertThat(index().holders(LLAMA, 4)).isEmpty();
    assertThat(index().totals(A).count()).isEqualTo(3);
  }

  @Test
  void admitTwice_isHeldOnce() {
    KeyTotals once = admit(A, CPU, LLAMA, 7);
    KeyTotals twice = admit(A, CPU, LLAMA, 7, 7);

    assertThat(twice).isEqualTo(once);
    assertThat(index().holders(LLAMA, 7)).hasSize(1);
  }

  @Test
  void evict_onlyThatPlacementGoes() {
    admit(A, CPU, LLAMA, 7, 8);
    admit(B, CPU, LLAMA, 7, 8);
    admit(A, DISK, LLAMA, 7);

    evict(A, CPU, LLAMA, 7);

    assertThat(index().holders(LLAMA, 7))
        .containsExactlyInAnyOrder(new Placement(B, CPU), new Placement(A, DISK));
    assertThat(index().totals(A, CPU).count()).isEqualTo(1);
  }

  @Test
  void evictOfWhatIsNotThere_changesNothing() {
    KeyTotals before = admit(A, CPU, LLAMA, 7);

    assertThat(evict(A, CPU, LLAMA, 8)).isEqualTo(before);
    assertThat(evict(A, CPU, QWEN, 7)).isEqualTo(before);
    assertThat(evict(B, CPU, LLAMA, 7)).isEqualTo(KeyTotals.NONE);
    assertThat(index().holders(LLAMA, 7)).hasSize(1);
  }

  @Test
  void operationsOfOneRecord_areMadeInOrder() {
    apply(
        A,
        new Operations(
            CPU,
            LLAMA,
            new long[] {1, 1, 2, 2, 2},
            new boolean[] {true, false, false, true, true},
            false));

    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().holders(LLAMA, 2)).hasSize(1);
    assertThat(index().totals(A, CPU).count()).isEqualTo(1);
  }

  @Test
  void keyspaces_neverAnswerForEachOther() {
    admit(A, CPU, LLAMA, 1, 2);
    admit(A, CPU, QWEN, 1);

    assertThat(index().prefix(A, CPU, QWEN, new long[] {1, 2})).isEqualTo(1);
    assertThat(index().holders(Keyspace.parse("llama@1@1@half"), 1)).isEmpty();
    assertThat(index().countByKeyspace()).isEqualTo(Map.of(LLAMA, 2L, QWEN, 1L));

    evict(A, CPU, QWEN, 1);
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {1, 2})).isEqualTo(2);
    assertThat(index().countByKeyspace()).isEqualTo(Map.of(LLAMA, 2L));
  }

  @Test
  void hashesThatDifferInHighBits_areDifferentChunks() {
    long hash = 0x0123_4567_89ab_cdefL;
    long[] four = {hash, hash + (1L << 32), hash + (1L << 53), hash ^ (1L << 63)};

    admit(A, CPU, LLAMA, four);
    evict(A, CPU, LLAMA, four[1]);

    assertThat(index().totals(A, CPU).count()).isEqualTo(3);
    assertThat(index().holders(LLAMA, four[0])).hasSize(1);
    assertThat(index().holders(LLAMA, four[1])).isEmpty();
    assertThat(index().holders(LLAMA, four[3])).hasSize(1);
  }

  @Test
  void extremeHashes_areKept() {
    long[] extremes = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x8000_0001L, 0xffff_ffffL};

    admit(A, CPU, LLAMA, extremes);

    assertThat(index().prefix(A, CPU, LLAMA, extremes)).isEqualTo(extremes.length);
  }

  @Test
  void prefixes_onlyWhoHasTheFirstChunk_longestFirst() {
    admit(A, CPU, LLAMA, LongStream.range(0, 10).toArray());
    admit(B, CPU, LLAMA, LongStream.range(0, 5).toArray());
    admit(C, CPU, LLAMA, LongStream.range(5, 10).toArray());
    long[] ten = LongStream.range(0, 10).toArray();

    assertThat(index().prefixes(LLAMA, ten, worker -> true))
        .containsExactly(new PrefixMatch(A, CPU, 10), new PrefixMatch(B, CPU, 5));
    assertThat(index().prefixes(LLAMA, ten, worker -> !worker.equals(A)))
        .containsExactly(new PrefixMatch(B, CPU, 5));
    assertThat(index().prefixes(LLAMA, new long[0], worker -> true)).isEmpty();
    assertThat(index().prefixes(QWEN, ten, worker -> true)).isEmpty();
  }

  @Test
  void drop_worksForThatWorkerOnly() {
    admit(A, CPU, LLAMA, 1, 2);
    admit(A, DISK, QWEN, 1);
    admit(B, CPU, LLAMA, 1);

    apply(A, new Drop(), operations(CPU, LLAMA, true, 2));

    assertThat(index().holders(LLAMA, 1)).containsExactly(new Placement(B, CPU));
    assertThat(index().holders(QWEN, 1)).isEmpty();
    assertThat(index().totals(A).count()).isEqualTo(1);
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {2})).isEqualTo(1);
  }

  @Test
  void forgottenWorker_beginsAnew() {
    admit(A, CPU, LLAMA, 1, 2);

    forget(A);

    assertThat(index().totals(A)).isEqualTo(KeyTotals.NONE);
    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().countByKeyspace()).isEmpty();
    admit(A, CPU, LLAMA, 2);
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {2, 1})).isEqualTo(1);
  }

  @Test
  void changeOnAnotherState_isRefusedAndChangesNothing() {
    admit(A, CPU, LLAMA, 1);
    long held = offset(A);
    ChangeStep step = operations(CPU, LLAMA, true, 2);

    assertThat(index().apply(IndexChanges.change(A, held - 1, held + 10, step)))
        .isEqualTo(new ChangeOutcome.Refused(held));
    assertThat(index().apply(IndexChanges.change(A, -1, held + 10, step)))
        .isEqualTo(new ChangeOutcome.Refused(held));
    assertThat(index().apply(IndexChanges.change(B, 3, 4, step)))
        .isEqualTo(new ChangeOutcome.Refused(-1));
    assertThat(index().holders(LLAMA, 2)).isEmpty();
    assertThat(index().totals(A).count()).isEqualTo(1);
  }

  @Test
  void snapshot_dropsWhatItDidNotName() {
    admit(A, CPU, LLAMA, 1, 2, 3);
    admit(A, CPU, QWEN, 9);
    admit(A, DISK, LLAMA, 3);

    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1, 4}));
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {1, 2, 3, 4})).isEqualTo(4);
    apply(A, new SnapshotApply(CPU));

    assertThat(index().holders(LLAMA, 1)).hasSize(1);
    assertThat(index().holders(LLAMA, 2)).isEmpty();
    assertThat(index().holders(LLAMA, 3)).containsExactly(new Placement(A, DISK));
    assertThat(index().holders(LLAMA, 4)).hasSize(1);
    assertThat(index().holders(QWEN, 9)).isEmpty();
    assertThat(index().totals(A, CPU).count()).isEqualTo(2);
  }

  @Test
  void snapshotNamesAChunkThatIsThenEvicted_isGone() {
    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1, 2}));
    apply(A, marking(false, 1));
    apply(A, new SnapshotApply(CPU));

    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().holders(LLAMA, 2)).hasSize(1);
  }

  @Test
  void chunkAdmittedWhileSnapshotRuns_stays() {
    admit(A, CPU, LLAMA, 1, 2);
    apply(A, new SnapshotBegin(CPU));
    apply(A, marking(true, 2, 3));
    apply(A, new SnapshotApply(CPU));

    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {2, 3})).isEqualTo(2);
  }

  @Test
  void voidSnapshot_dropsNothing_andTheNextOneDoes() {
    admit(A, CPU, LLAMA, 1, 2, 3);
    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1}));
    apply(A, new SnapshotVoid(CPU));
    assertThat(index().prefix(A, CPU, LLAMA, new long[] {1, 2, 3})).isEqualTo(3);

    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {2}));
    apply(A, new SnapshotApply(CPU));

    assertThat(index().holders(LLAMA, 1)).isEmpty();
    assertThat(index().holders(LLAMA, 2)).hasSize(1);
    assertThat(index().holders(LLAMA, 3)).isEmpty();
  }

  @Test
  void emptySnapshot_empties() {
    admit(A, CPU, LLAMA, 1, 2, 3);

    KeyTotals after = apply(A, new SnapshotBegin(CPU), new SnapshotApply(CPU));

    assertThat(after).isEqualTo(KeyTotals.NONE);
    assertThat(index().totals(A, CPU)).isEqualTo(KeyTotals.NONE);
  }

  @Test
  void dropInsideASnapshot_endsIt() {
    admit(A, CPU, LLAMA, 1);
    apply(A, new SnapshotBegin(CPU), new SnapshotKeys(CPU, LLAMA, new long[] {1, 2}));
    apply(A, new Drop());
    admit(A, CPU, LLAMA, 5);

    apply(A, new SnapshotBegin(CPU), new SnapshotApply(CPU));

    assertThat(index().totals(A)).isEqualTo(KeyTotals.NONE);
  }

  @Test
  void largeRecord_isMadeWhole() {
    long[] many = LongStream.range(0, 20_000).map(i -> i * 0x9e37_79b9_7f4a_7c15L).toArray();

    KeyTotals totals = admit(A, CPU, LLAMA, many);

    assertThat(totals.count()).isEqualTo(many.length);
    assertThat(index().prefix(A, CPU, LLAMA, many)).isEqualTo(many.length);
    evict(A, CPU, LLAMA, many);
    assertThat(index().totals(A, CPU)).isEqualTo(KeyTotals.NONE);
  }

  private static Operations marking(boolean admit, long... hashBits) {
    boolean[] admits = new boolean[hashBits.length];
    Arrays.fill(admits, admit);
    return new Operations(CPU, LLAMA, hashBits, admits, true);
  }
}

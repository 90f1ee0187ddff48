package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Measure;
import io.kvmesh.controller.index.ChangeStep.Operations;
import io.kvmesh.controller.index.ChangeStep.SnapshotApply;
import io.kvmesh.controller.index.ChangeStep.SnapshotBegin;
import io.kvmesh.controller.index.ChangeStep.SnapshotKeys;
import io.kvmesh.controller.index.ChangeStep.SnapshotVoid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every view of the log must do. */
public abstract class ChunkIndexContract {

  protected static final String CPU = "LocalCPUBackend";
  private static final String DISK = "LocalDiskBackend";
  protected static final Keyspace LLAMA = Keyspace.parse("llama@1@0@half");
  private static final Keyspace QWEN = Keyspace.parse("qwen@2@1@bfloat16@tenant%blue");
  protected static final WorkerId A = new WorkerId("a", 0);
  protected static final WorkerId B = new WorkerId("b", 0);
  private static final WorkerId C = new WorkerId("c", 0);

  private final Map<WorkerId, Long> offsets = new HashMap<>();
  private long nextOffset;
  private ChunkIndex index;

  /** An empty index. */
  protected abstract ChunkIndex create();

  @BeforeEach
  final void createIndex() {
    index = create();
  }

  @Test
  void admit_chunkIsHeldThere() {
    admit(A, CPU, LLAMA, 1, 2, 3);

    assertThat(index.prefix(A, CPU, LLAMA, new long[] {1, 2, 3, 4})).isEqualTo(3);
    assertThat(index.holders(LLAMA, 2)).containsExactly(new Placement(A, CPU));
    assertThat(index.holders(LLAMA, 4)).isEmpty();
    assertThat(index.totals(A).count()).isEqualTo(3);
  }

  @Test
  void admitTwice_isHeldOnce() {
    KeyTotals once = admit(A, CPU, LLAMA, 7);
    KeyTotals twice = admit(A, CPU, LLAMA, 7, 7);

    assertThat(twice).isEqualTo(once);
    assertThat(index.holders(LLAMA, 7)).hasSize(1);
  }

  @Test
  void evict_onlyThatPlacementGoes() {
    admit(A, CPU, LLAMA, 7, 8);
    admit(B, CPU, LLAMA, 7, 8);
    admit(A, DISK, LLAMA, 7);

    evict(A, CPU, LLAMA, 7);

    assertThat(index.holders(LLAMA, 7))
        .containsExactlyInAnyOrder(new Placement(B, CPU), new Placement(A, DISK));
    assertThat(index.totals(A, CPU).count()).isEqualTo(1);
  }

  @Test
  void evictOfWhatIsNotThere_changesNothing() {
    KeyTotals before = admit(A, CPU, LLAMA, 7);

    assertThat(evict(A, CPU, LLAMA, 8)).isEqualTo(before);
    assertThat(evict(A, CPU, QWEN, 7)).isEqualTo(before);
    assertThat(evict(B, CPU, LLAMA, 7)).isEqualTo(KeyTotals.NONE);
    assertThat(index.holders(LLAMA, 7)).hasSize(1);
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

    assertThat(index.holders(LLAMA, 1)).isEmpty();
    assertThat(index.holders(LLAMA, 2)).hasSize(1);
    assertThat(index.totals(A, CPU).count()).isEqualTo(1);
  }

  @Test
  void keyspaces_neverAnswerForEachOther() {
    admit(A, CPU, LLAMA, 1, 2);
    admit(A, CPU, QWEN, 1);

    assertThat(index.prefix(A, CPU, QWEN, new long[] {1, 2})).isEqualTo(1);
    assertThat(index.holders(Keyspace.parse("llama@1@1@half"), 1)).isEmpty();
    assertThat(index.countByKeyspace()).isEqualTo(Map.of(LLAMA, 2L, QWEN, 1L));

    evict(A, CPU, QWEN, 1);
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {1, 2})).isEqualTo(2);
    assertThat(index.countByKeyspace()).isEqualTo(Map.of(LLAMA, 2L));
  }

  @Test
  void hashesThatDifferInHighBits_areDifferentChunks() {
    long hash = 0x0123_4567_89ab_cdefL;
    long[] four = {hash, hash + (1L << 32), hash + (1L << 53), hash ^ (1L << 63)};

    admit(A, CPU, LLAMA, four);
    evict(A, CPU, LLAMA, four[1]);

    assertThat(index.totals(A, CPU).count()).isEqualTo(3);
    assertThat(index.holders(LLAMA, four[0])).hasSize(1);
    assertThat(index.holders(LLAMA, four[1])).isEmpty();
    assertThat(index.holders(LLAMA, four[3])).hasSize(1);
  }

  @Test
  void extremeHashes_areKept() {
    long[] extremes = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x8000_0001L, 0xffff_ffffL};

    admit(A, CPU, LLAMA, extremes);

    assertThat(index.prefix(A, CPU, LLAMA, extremes)).isEqualTo(extremes.length);
  }

  @Test
  void prefixes_onlyWhoHasTheFirstChunk_longestFirst() {
    admit(A, CPU, LLAMA, LongStream.range(0, 10).toArray());
    admit(B, CPU, LLAMA, LongStream.range(0, 5).toArray());
    admit(C, CPU, LLAMA, LongStream.range(5, 10).toArray());
    long[] ten = LongStream.range(0, 10).toArray();

    assertThat(index.prefixes(LLAMA, ten, worker -> true))
        .containsExactly(new PrefixMatch(A, CPU, 10), new PrefixMatch(B, CPU, 5));
    assertThat(index.prefixes(LLAMA, ten, worker -> !worker.equals(A)))
        .containsExactly(new PrefixMatch(B, CPU, 5));
    assertThat(index.prefixes(LLAMA, new long[0], worker -> true)).isEmpty();
    assertThat(index.prefixes(QWEN, ten, worker -> true)).isEmpty();
  }

  @Test
  void drop_worksForThatWorkerOnly() {
    admit(A, CPU, LLAMA, 1, 2);
    admit(A, DISK, QWEN, 1);
    admit(B, CPU, LLAMA, 1);

    apply(A, new Drop(), operations(CPU, LLAMA, true, 2));

    assertThat(index.holders(LLAMA, 1)).containsExactly(new Placement(B, CPU));
    assertThat(index.holders(QWEN, 1)).isEmpty();
    assertThat(index.totals(A).count()).isEqualTo(1);
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {2})).isEqualTo(1);
  }

  @Test
  void forgottenWorker_beginsAnew() {
    admit(A, CPU, LLAMA, 1, 2);

    forget(A);

    assertThat(index.totals(A)).isEqualTo(KeyTotals.NONE);
    assertThat(index.holders(LLAMA, 1)).isEmpty();
    assertThat(index.countByKeyspace()).isEmpty();
    admit(A, CPU, LLAMA, 2);
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {2, 1})).isEqualTo(1);
  }

  @Test
  void changeOnAnotherState_isRefusedAndChangesNothing() {
    admit(A, CPU, LLAMA, 1);
    long held = offsets.getOrDefault(A, -1L);
    ChangeStep step = operations(CPU, LLAMA, true, 2);

    assertThat(index.apply(IndexChanges.change(A, held - 1, held + 10, step)))
        .isEqualTo(new ChangeOutcome.Refused(held));
    assertThat(index.apply(IndexChanges.change(A, -1, held + 10, step)))
        .isEqualTo(new ChangeOutcome.Refused(held));
    assertThat(index.apply(IndexChanges.change(B, 3, 4, step)))
        .isEqualTo(new ChangeOutcome.Refused(-1));
    assertThat(index.holders(LLAMA, 2)).isEmpty();
    assertThat(index.totals(A).count()).isEqualTo(1);
  }

  @Test
  void snapshot_dropsWhatItDidNotName() {
    admit(A, CPU, LLAMA, 1, 2, 3);
    admit(A, CPU, QWEN, 9);
    admit(A, DISK, LLAMA, 3);

    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1, 4}));
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {1, 2, 3, 4})).isEqualTo(4);
    apply(A, new SnapshotApply(CPU));

    assertThat(index.holders(LLAMA, 1)).hasSize(1);
    assertThat(index.holders(LLAMA, 2)).isEmpty();
    assertThat(index.holders(LLAMA, 3)).containsExactly(new Placement(A, DISK));
    assertThat(index.holders(LLAMA, 4)).hasSize(1);
    assertThat(index.holders(QWEN, 9)).isEmpty();
    assertThat(index.totals(A, CPU).count()).isEqualTo(2);
  }

  @Test
  void snapshotNamesAChunkThatIsThenEvicted_isGone() {
    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1, 2}));
    apply(A, marking(false, 1));
    apply(A, new SnapshotApply(CPU));

    assertThat(index.holders(LLAMA, 1)).isEmpty();
    assertThat(index.holders(LLAMA, 2)).hasSize(1);
  }

  @Test
  void chunkAdmittedWhileSnapshotRuns_stays() {
    admit(A, CPU, LLAMA, 1, 2);
    apply(A, new SnapshotBegin(CPU));
    apply(A, marking(true, 2, 3));
    apply(A, new SnapshotApply(CPU));

    assertThat(index.holders(LLAMA, 1)).isEmpty();
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {2, 3})).isEqualTo(2);
  }

  @Test
  void voidSnapshot_dropsNothing_andTheNextOneDoes() {
    admit(A, CPU, LLAMA, 1, 2, 3);
    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {1}));
    apply(A, new SnapshotVoid(CPU));
    assertThat(index.prefix(A, CPU, LLAMA, new long[] {1, 2, 3})).isEqualTo(3);

    apply(A, new SnapshotBegin(CPU));
    apply(A, new SnapshotKeys(CPU, LLAMA, new long[] {2}));
    apply(A, new SnapshotApply(CPU));

    assertThat(index.holders(LLAMA, 1)).isEmpty();
    assertThat(index.holders(LLAMA, 2)).hasSize(1);
    assertThat(index.holders(LLAMA, 3)).isEmpty();
  }

  @Test
  void emptySnapshot_empties() {
    admit(A, CPU, LLAMA, 1, 2, 3);

    KeyTotals after = apply(A, new SnapshotBegin(CPU), new SnapshotApply(CPU));

    assertThat(after).isEqualTo(KeyTotals.NONE);
    assertThat(index.totals(A, CPU)).isEqualTo(KeyTotals.NONE);
  }

  @Test
  void dropInsideASnapshot_endsIt() {
    admit(A, CPU, LLAMA, 1);
    apply(A, new SnapshotBegin(CPU), new SnapshotKeys(CPU, LLAMA, new long[] {1, 2}));
    apply(A, new Drop());
    admit(A, CPU, LLAMA, 5);

    apply(A, new SnapshotBegin(CPU), new SnapshotApply(CPU));

    assertThat(index.totals(A)).isEqualTo(KeyTotals.NONE);
  }

  @Test
  void largeRecord_isMadeWhole() {
    long[] many = LongStream.range(0, 20_000).map(i -> i * 0x9e37_79b9_7f4a_7c15L).toArray();

    KeyTotals totals = admit(A, CPU, LLAMA, many);

    assertThat(totals.count()).isEqualTo(many.length);
    assertThat(index.prefix(A, CPU, LLAMA, many)).isEqualTo(many.length);
    evict(A, CPU, LLAMA, many);
    assertThat(index.totals(A, CPU)).isEqualTo(KeyTotals.NONE);
  }

  /** Changes of the random run. */
  protected int randomChanges() {
    return 3_000;
  }

  @Test
  void randomChanges_equalTheModel() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    IndexModel model = new IndexModel();
    WorkerId[] workers = {A, B, C};
    Map<Placement, Boolean> snapshots = new HashMap<>();
    for (int i = 0; i < randomChanges(); i++) {
      WorkerId worker = workers[random.nextInt(workers.length)];
      String location = random.nextInt(4) == 0 ? DISK : CPU;
      List<ChangeStep> steps = randomSteps(random, worker, location, snapshots);
      List<KeyTotals> expected = new ArrayList<>();
      for (ChangeStep step : steps) {
        model.apply(worker, step);
        boolean named = !(step instanceof Drop);
        expected.add(named ? model.totals(new Placement(worker, location)) : KeyTotals.NONE);
      }
      assertThat(applyAll(worker, steps)).as("seed %s, change %s", seed, i).isEqualTo(expected);
      if (i % 50 == 0) {
        compare(model, random, workers, "seed " + seed + ", change " + i);
      }
      betweenChanges();
    }
  }

  /** Lets an implementation do its housekeeping. */
  protected void betweenChanges() {}

  private static List<ChangeStep> randomSteps(
      Random random, WorkerId worker, String location, Map<Placement, Boolean> snapshots) {
    Placement placement = new Placement(worker, location);
    boolean running = snapshots.getOrDefault(placement, false);
    Keyspace keyspace = random.nextBoolean() ? LLAMA : QWEN;
    int kind = random.nextInt(100);
    if (kind < 2) {
      snapshots.keySet().removeIf(p -> p.worker().equals(worker));
      return List.of(new Drop());
    }
    if (kind < 8) {
      snapshots.put(placement, true);
      return List.of(new SnapshotBegin(location));
    }
    if (running && kind < 20) {
      snapshots.put(placement, false);
      return List.of(kind < 12 ? new SnapshotVoid(location) : new SnapshotApply(location));
    }
    if (running && kind < 50) {
      return List.of(new SnapshotKeys(location, keyspace, randomHashes(random)));
    }
    long[] hashes = randomHashes(random);
    boolean[] admits = new boolean[hashes.length];
    for (int i = 0; i < admits.length; i++) {
      admits[i] = random.nextInt(5) < 3;
    }
    return List.of(
        new Operations(location, keyspace, hashes, admits, running), new Measure(location));
  }

  private static long[] randomHashes(Random random) {
    return random.longs(random.nextInt(40)).map(l -> Math.floorMod(l, 200L)).toArray();
  }

  private void compare(IndexModel model, Random random, WorkerId[] workers, String context) {
    for (int i = 0; i < 20; i++) {
      long hash = random.nextInt(200);
      Keyspace keyspace = random.nextBoolean() ? LLAMA : QWEN;
      TreeSet<String> found = new TreeSet<>();
      index.holders(keyspace, hash).forEach(placement -> found.add(placement.toString()));
      assertThat(found).as(context).isEqualTo(model.holders(keyspace, hash));
    }
    long[] hashes = random.longs(30, 0, 6).distinct().toArray();
    List<PrefixMatch> expected = new ArrayList<>();
    for (WorkerId worker : workers) {
      for (String location : List.of(CPU, DISK)) {
        int length = model.prefix(new Placement(worker, location), LLAMA, hashes);
        assertThat(index.prefix(worker, location, LLAMA, hashes)).as(context).isEqualTo(length);
        if (length > 0) {
          expected.add(new PrefixMatch(worker, location, length));
        }
      }
    }
    List<PrefixMatch> matches = index.prefixes(LLAMA, hashes, worker -> true);
    assertThat(matches).as(context).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(matches.stream().map(m -> -m.length())).as(context).isSorted();
  }

  /** The index under test. */
  protected final ChunkIndex index() {
    return index;
  }

  protected final KeyTotals admit(
      WorkerId worker, String location, Keyspace keyspace, long... hashBits) {
    return apply(worker, operations(location, keyspace, true, hashBits));
  }

  private KeyTotals evict(WorkerId worker, String location, Keyspace keyspace, long... hashBits) {
    return apply(worker, operations(location, keyspace, false, hashBits));
  }

  private static Operations operations(
      String location, Keyspace keyspace, boolean admit, long... hashBits) {
    boolean[] admits = new boolean[hashBits.length];
    Arrays.fill(admits, admit);
    return new Operations(location, keyspace, hashBits, admits, false);
  }

  private static Operations marking(boolean admit, long... hashBits) {
    boolean[] admits = new boolean[hashBits.length];
    Arrays.fill(admits, admit);
    return new Operations(CPU, LLAMA, hashBits, admits, true);
  }

  private KeyTotals apply(WorkerId worker, ChangeStep... steps) {
    return applyAll(worker, List.of(steps)).getLast();
  }

  private List<KeyTotals> applyAll(WorkerId worker, List<ChangeStep> steps) {
    long offset = nextOffset++;
    long expected = offsets.getOrDefault(worker, -1L);
    ChangeOutcome outcome =
        index.apply(
            IndexChanges.change(worker, expected, offset, steps.toArray(ChangeStep[]::new)));
    assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
    offsets.put(worker, offset);
    return ((ChangeOutcome.Applied) outcome).totals();
  }

  private void forget(WorkerId worker) {
    long expected = offsets.getOrDefault(worker, -1L);
    offsets.remove(worker);
    ChangeOutcome outcome = index.apply(IndexChanges.forget(worker, expected, nextOffset++));
    assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
  }
}

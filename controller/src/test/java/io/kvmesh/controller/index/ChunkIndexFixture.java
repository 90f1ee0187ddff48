package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Operations;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/** An index that a test changes record by record, and looks into. */
abstract class ChunkIndexFixture {

  protected static final String CPU = "LocalCPUBackend";
  protected static final String DISK = "LocalDiskBackend";
  protected static final Keyspace LLAMA = Keyspace.parse("llama@1@0@half");
  protected static final Keyspace QWEN = Keyspace.parse("qwen@2@1@bfloat16@tenant%blue");
  protected static final WorkerId A = new WorkerId("a", 0);
  protected static final WorkerId B = new WorkerId("b", 0);
  protected static final WorkerId C = new WorkerId("c", 0);

  private final Map<WorkerId, Long> offsets = new HashMap<>();
  private long nextOffset;
  private ChunkIndex index;

  /** An empty index. */
  protected abstract ChunkIndex create();

  @BeforeEach
  final void createIndex() {
    index = create();
  }

  /** Offset of the worker's last change; −1 = none. */
  protected final long offset(WorkerId worker) {
    return offsets.getOrDefault(worker, -1L);
  }

  /** The index under test. */
  protected final ChunkIndex index() {
    return index;
  }

  protected final KeyTotals admit(
      WorkerId worker, String location, Keyspace keyspace, long... hashBits) {
    return apply(worker, operations(location, keyspace, true, hashBits));
  }

  protected final KeyTotals evict(
      WorkerId worker, String location, Keyspace keyspace, long... hashBits) {
    return apply(worker, operations(location, keyspace, false, hashBits));
  }

  protected static Operations operations(
      String location, Keyspace keyspace, boolean admit, long... hashBits) {
    boolean[] admits = new boolean[hashBits.length];
    Arrays.fill(admits, admit);
    return new Operations(location, keyspace, hashBits, admits, false);
  }

  protected final KeyTotals apply(WorkerId worker, ChangeStep... steps) {
    return applyAll(worker, List.of(steps)).getLast();
  }

  protected final List<KeyTotals> applyAll(WorkerId worker, List<ChangeStep> steps) {
    long offset = nextOffset++;
    long expected = offset(worker);
    ChangeOutcome outcome =
        index.apply(
            IndexChanges.change(worker, expected, offset, steps.toArray(ChangeStep[]::new)));
    assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
    offsets.put(worker, offset);
    return ((ChangeOutcome.Applied) outcome).totals();
  }

  protected final void forget(WorkerId worker) {
    long expected = offset(worker);
    offsets.remove(worker);
    ChangeOutcome outcome = index.apply(IndexChanges.forget(worker, expected, nextOffset++));
    assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
  }
}

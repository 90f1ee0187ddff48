package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import java.util.List;

/**
 * A part of a snapshot; the first batch is 0. Of a foreign worker's batch that is too large for one
 * record, all parts but the last have the number {@link #PART}: the last one's is the batch's.
 */
public record SnapshotBatch(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    String location,
    String snapshotId,
    int batchId,
    String keyspace,
    List<ChunkHash> keys,
    long sequence)
    implements LogEvent {

  /** Number of a record that has a part of a batch. */
  public static final int PART = -1;

  /** Copies the collections. */
  public SnapshotBatch {
    keys = List.copyOf(keys);
  }

  /** In the current format. */
  public SnapshotBatch(
      String instanceId,
      int workerId,
      long epoch,
      String location,
      String snapshotId,
      int batchId,
      String keyspace,
      List<ChunkHash> keys,
      long sequence) {
    this(
        Formats.CURRENT,
        instanceId,
        workerId,
        epoch,
        location,
        snapshotId,
        batchId,
        keyspace,
        keys,
        sequence);
  }
}

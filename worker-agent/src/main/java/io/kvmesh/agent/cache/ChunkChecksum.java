package io.kvmesh.agent.cache;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The checksum that is kept with a chunk and travels with it: CRC-32C, as an unsigned number. An
 * object is that of a body whose parts are added in order. One thread.
 */
public final class ChunkChecksum {

  private final CRC32C sum = new CRC32C();

  /** The checksum of a body of less than 2 GiB. */
  public static long of(MemorySegment body) {
    ChunkChecksum checksum = new ChunkChecksum();
    checksum.add(body);
    return checksum.value();
  }

  /** The checksums of filled chunks' bodies, in order. */
  static long[] ofEach(List<PendingChunk> chunks) {
    return chunks.stream().mapToLong(chunk -> of(chunk.body())).toArray();
  }

  /** Adds the next part of the body, less than 2 GiB. */
  public void add(MemorySegment part) {
    sum.update(part.asByteBuffer());
  }

  /** The checksum of all that was added. */
  public long value() {
    return sum.getValue();
  }
}

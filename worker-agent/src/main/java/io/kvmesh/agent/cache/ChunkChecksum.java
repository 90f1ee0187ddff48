package io.kvmesh.agent.cache;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** The checksum that is kept with a chunk and travels with it: CRC-32C, as an unsigned number. */
public final class ChunkChecksum {

  private ChunkChecksum() {}

  /** The checksum of a body of less than 2 GiB. */
  public static long of(MemorySegment body) {
    CRC32C checksum = new CRC32C();
    checksum.update(body.asByteBuffer());
    return checksum.getValue();
  }
}

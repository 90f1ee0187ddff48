package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import java.lang.foreign.MemorySegment;

/**
 * The chunks of a reply, to be copied or skipped one after the other. Their count and all their
 * sizes are right; whether the bytes are, each copy tells. Closing it gives up what it holds:
 * receive buffers, or the owner's loan. One thread at a time; closing it is idempotent.
 */
abstract class Delivery implements AutoCloseable {

  private final DeliveredChunks chunks;
  private int next;

  Delivery(DeliveredChunks chunks) {
    this.chunks = chunks;
  }

  /** How many chunks it holds. */
  final int chunks() {
    return chunks.count();
  }

  /** Bytes of the next chunk. */
  final int length() {
    return chunks.lengths().get(next);
  }

  /** Tokens of the next chunk. */
  final int tokens() {
    return chunks.tokens().get(next);
  }

  /**
   * Copies the next chunk to memory of its length; answers whether it came unharmed. If not, the
   * memory holds anything.
   */
  final boolean copyNextTo(MemorySegment target) {
    int chunk = next++;
    ChunkChecksum sum = new ChunkChecksum();
    return copy(chunk, target, sum) && sum.value() == chunks.checksums().get(chunk);
  }

  /**
   * Whether the chunk that was copied last came harmed since its owner has given its memory out
   * anew, as it may once it sees no connection any more; it is nobody's fault.
   */
  boolean lastChanged() {
    return false;
  }

  /** Passes over the next chunk, whose bytes nobody needs. */
  final void skipNext() {
    next++;
  }

  /** The checksum of the chunk that was copied last. */
  final long lastChecksum() {
    return chunks.checksums().get(next - 1);
  }

  /**
   * Copies a chunk.
   *
   * @param sum gets its bytes, in order
   * @return false if these bytes can't be meant, whatever their sum is
   */
  abstract boolean copy(int chunk, MemorySegment target, ChunkChecksum sum);

  @Override
  public abstract void close();
}

package io.kvmesh.agent.transfer;

import java.lang.foreign.MemorySegment;

/**
 * The chunks of a reply, to be copied one after the other. Their count and all their sizes are
 * right; whether the bytes are, each copy tells. Closing it gives up what it holds: receive
 * buffers, or the owner's loan. One thread at a time; closing it is idempotent.
 */
interface Delivery extends AutoCloseable {

  /** How many chunks it holds. */
  int chunks();

  /** Bytes of the next chunk. */
  int length();

  /** Tokens of the next chunk. */
  int tokens();

  /**
   * Copies the next chunk to memory of its length; answers whether it came unharmed. If not, the
   * memory holds anything.
   */
  boolean copyNextTo(MemorySegment target);

  /** The checksum of the chunk that was copied last. */
  long lastChecksum();

  @Override
  void close();
}

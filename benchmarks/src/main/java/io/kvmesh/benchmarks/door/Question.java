package io.kvmesh.benchmarks.door;

import java.nio.ByteBuffer;

/**
 * A request, and what is known of its reply.
 *
 * @param request all bytes of it, in native memory
 * @param head first bytes of the reply, the first ones of its body among them if it has one
 * @param bodyAt where in the reply its body begins
 * @param replyBytes of all of the reply
 */
record Question(ByteBuffer request, ByteBuffer head, int bodyAt, int replyBytes) {

  /** Bytes of a body that a head has. */
  private static final int TOLD_BYTES = 8;

  private static final int ALIGNED_BYTES = 4096;

  /** What is in the body of a chunk of that number. */
  static byte content(int number) {
    return (byte) (number + 1);
  }

  /** The beginning of that chunk's body. */
  static ByteBuffer told(int number) {
    return filled(TOLD_BYTES, number);
  }

  /** That chunk's body. */
  static ByteBuffer filled(int bytes, int number) {
    ByteBuffer body = ByteBuffer.allocate(bytes);
    while (body.hasRemaining()) {
      body.put(content(number));
    }
    return body.flip();
  }

  /** These one behind the other, in native memory. */
  static ByteBuffer joined(ByteBuffer... parts) {
    int bytes = 0;
    for (ByteBuffer part : parts) {
      bytes += part.remaining();
    }
    ByteBuffer all = ByteBuffer.allocateDirect(bytes);
    for (ByteBuffer part : parts) {
      all.put(part.duplicate());
    }
    return all.flip();
  }

  /** Native memory for such a reply and the longest others. */
  static ByteBuffer memory(int maxReplyBytes) {
    return ByteBuffer.allocateDirect(3 * ALIGNED_BYTES + maxReplyBytes).alignedSlice(ALIGNED_BYTES);
  }

  /**
   * Makes the memory ready for what is missing of a reply. Its body, as an engine would want it to,
   * begins where a page of memory does: what comes before it is in front of that.
   *
   * @param came bytes that are there already
   */
  void prepare(ByteBuffer memory, int came) {
    int begin = ALIGNED_BYTES - bodyAt;
    memory.limit(begin + replyBytes).position(begin + came);
  }

  /** Bytes of the reply that have come. */
  int came(ByteBuffer memory) {
    return memory.position() - (ALIGNED_BYTES - bodyAt);
  }

  /** Whether what has come of a reply begins as it must, as far as that can be told. */
  boolean fits(ByteBuffer memory) {
    int known = Math.min(came(memory), head.limit());
    return memory.slice(ALIGNED_BYTES - bodyAt, known).equals(head.slice(0, known));
  }
}

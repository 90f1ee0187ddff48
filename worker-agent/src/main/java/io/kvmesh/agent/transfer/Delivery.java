package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a reply, in receive buffers. Its count and all its sizes are right; whether the
 * bytes are, is checked chunk by chunk after the copy. One thread.
 */
final class Delivery implements AutoCloseable {

  private final List<Integer> lengths;
  private final List<Integer> tokens;
  private final List<Long> checksums;
  private final List<Frame> frames;
  private int nextFrame;
  private int nextChunk;

  private Delivery(
      List<Integer> lengths, List<Integer> tokens, List<Long> checksums, List<Frame> frames) {
    this.lengths = lengths;
    this.tokens = tokens;
    this.checksums = checksums;
    this.frames = frames;
  }

  /**
   * Checks the reply to a request for {@code asked} chunks, none of them larger than a page.
   *
   * @throws BrokenReplyException if it can't be an answer to it
   */
  static Delivery of(BatchedLookupAndGetRetMsg reply, List<Frame> frames, int asked, int pageBytes)
      throws BrokenReplyException {
    int chunks = reply.numHitChunks();
    require(chunks >= 0 && chunks <= asked, "%d chunks came, %d were asked for", chunks, asked);
    List<Integer> lengths = listOf(reply.lengths(), chunks, "lengths");
    List<Integer> tokens = listOf(reply.tokens(), chunks, "tokens");
    List<Long> checksums = listOf(reply.checksums(), chunks, "checksums");
    int frame = 0;
    for (int i = 0; i < chunks; i++) {
      int length = lengths.get(i);
      require(length > 0 && length <= pageBytes, "chunk %d of %d bytes", i, length);
      require(tokens.get(i) >= 0, "chunk %d of %d tokens", i, tokens.get(i));
      for (int left = length; left > 0; left -= BodyFrames.MAX_FRAME_BYTES) {
        require(frame < frames.size(), "%d frames end within chunk %d", frames.size(), i);
        int size = frames.get(frame).size();
        int right = Math.min(left, BodyFrames.MAX_FRAME_BYTES);
        require(size == right, "frame of %d bytes where %d are due", size, right);
        frame++;
      }
    }
    require(frame == frames.size(), "%d frames came, %d are due", frames.size(), frame);
    return new Delivery(lengths, tokens, checksums, frames);
  }

  /** How many chunks it holds. */
  int chunks() {
    return lengths.size();
  }

  /** Bytes of the next chunk. */
  int length() {
    return lengths.get(nextChunk);
  }

  /** Tokens of the next chunk. */
  int tokens() {
    return tokens.get(nextChunk);
  }

  /** Copies the next chunk to memory of its length; answers whether it came unharmed. */
  boolean copyNextTo(MemorySegment target) {
    for (long at = 0; at < target.byteSize(); ) {
      Frame frame = frames.get(nextFrame++);
      frame.copyTo(target.asSlice(at));
      frame.release();
      at += frame.size();
    }
    return ChunkChecksum.of(target) == checksums.get(nextChunk++);
  }

  /** The checksum of the chunk that was copied last. */
  long lastChecksum() {
    return checksums.get(nextChunk - 1);
  }

  /** Gives the receive buffers back. */
  @Override
  public void close() {
    frames.forEach(Frame::release);
  }

  private static <T> List<T> listOf(@Nullable List<T> values, int size, String name)
      throws BrokenReplyException {
    if (values == null) {
      require(size == 0, "%d chunks came without their %s", size, name);
      return List.of();
    }
    require(values.size() == size, "%d %s for %d chunks", values.size(), name, size);
    return values;
  }

  private static void require(boolean holds, String fault, Object... details)
      throws BrokenReplyException {
    if (!holds) {
      throw new BrokenReplyException(fault.formatted(details));
    }
  }
}

package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chunks in receive buffers, which are checked after the copy. */
final class FramedDelivery extends Delivery {

  private final long requestId;
  private final List<Frame> frames;

  /** Index of each chunk's first frame, then of none. */
  private final int[] firstFrames;

  private final FrameContent content;

  private FramedDelivery(
      DeliveredChunks chunks, ReplyBodies bodies, int[] firstFrames, FrameContent content) {
    super(chunks);
    this.requestId = bodies.requestId();
    this.frames = bodies.frames();
    this.firstFrames = firstFrames;
    this.content = content;
  }

  /**
   * Checks that these are the frames of those chunks.
   *
   * @param content how bytes lie in them
   * @throws BrokenReplyException if they aren't
   */
  static FramedDelivery of(DeliveredChunks chunks, ReplyBodies bodies, FrameContent content)
      throws BrokenReplyException {
    List<Frame> frames = bodies.frames();
    int most = BodyFrames.mostBytes(content.overheadBytes());
    int[] firstFrames = new int[chunks.count() + 1];
    int frame = 0;
    for (int i = 0; i < chunks.count(); i++) {
      for (int left = chunks.lengths().get(i); left > 0; left -= most) {
        DeliveredChunks.require(
            frame < frames.size(), "%d frames end within chunk %d", frames.size(), i);
        int size = frames.get(frame).size();
        int right = Math.min(left, most) + content.overheadBytes();
        DeliveredChunks.require(size == right, "frame of %d bytes where %d are due", size, right);
        frame++;
      }
      firstFrames[i + 1] = frame;
    }
    DeliveredChunks.require(
        frame == frames.size(), "%d frames came, %d are due", frames.size(), frame);
    return new FramedDelivery(chunks, bodies, firstFrames, content);
  }

  /** A seal is broken by one thread. */
  @Override
  boolean copiesInAnyOrder() {
    return false;
  }

  @Override
  Copied copy(int chunk, MemorySegment target, ChunkChecksum sum) {
    boolean meant = true;
    long at = 0;
    for (int i = firstFrames[chunk]; i < firstFrames[chunk + 1]; i++) {
      Frame frame = frames.get(i);
      MemorySegment part = target.asSlice(at, frame.size() - content.overheadBytes());
      meant &= content.copy(requestId, i + 1, frame, part);
      frame.release();
      sum.add(part);
      at += part.byteSize();
    }
    return meant ? Copied.RIGHT : Copied.HARMED;
  }

  @Override
  public void close() {
    frames.forEach(Frame::release);
  }
}

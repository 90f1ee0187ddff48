package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chunks in receive buffers, which are checked after the copy. */
final class FramedDelivery implements Delivery {

  private final DeliveredChunks chunks;
  private final long requestId;
  private final List<Frame> frames;
  private final FrameContent content;
  private int nextFrame;
  private int nextChunk;

  private FramedDelivery(
      DeliveredChunks chunks, long requestId, List<Frame> frames, FrameContent content) {
    this.chunks = chunks;
    this.requestId = requestId;
    this.frames = frames;
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
    }
    DeliveredChunks.require(
        frame == frames.size(), "%d frames came, %d are due", frames.size(), frame);
    return new FramedDelivery(chunks, bodies.requestId(), frames, content);
  }

  @Override
  public int chunks() {
    return chunks.count();
  }

  @Override
  public int length() {
    return chunks.lengths().get(nextChunk);
  }

  @Override
  public int tokens() {
    return chunks.tokens().get(nextChunk);
  }

  @Override
  public boolean copyNextTo(MemorySegment target) {
    ChunkChecksum sum = new ChunkChecksum();
    boolean meant = true;
    for (long at = 0; at < target.byteSize(); ) {
      Frame frame = frames.get(nextFrame++);
      MemorySegment part = target.asSlice(at, frame.size() - content.overheadBytes());
      meant &= content.copy(requestId, nextFrame, frame, part);
      frame.release();
      sum.add(part);
      at += part.byteSize();
    }
    return sum.value() == chunks.checksums().get(nextChunk++) && meant;
  }

  @Override
  public long lastChecksum() {
    return chunks.checksums().get(nextChunk - 1);
  }

  @Override
  public void close() {
    frames.forEach(Frame::release);
  }
}

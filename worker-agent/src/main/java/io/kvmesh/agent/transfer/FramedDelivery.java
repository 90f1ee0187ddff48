package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chunks in receive buffers, which are checked after the copy. */
final class FramedDelivery implements Delivery {

  private final DeliveredChunks chunks;
  private final List<Frame> frames;
  private int nextFrame;
  private int nextChunk;

  private FramedDelivery(DeliveredChunks chunks, List<Frame> frames) {
    this.chunks = chunks;
    this.frames = frames;
  }

  /**
   * Checks that these are the frames of those chunks.
   *
   * @throws BrokenReplyException if they aren't
   */
  static FramedDelivery of(DeliveredChunks chunks, List<Frame> frames) throws BrokenReplyException {
    int frame = 0;
    for (int i = 0; i < chunks.count(); i++) {
      for (int left = chunks.lengths().get(i); left > 0; left -= BodyFrames.MAX_FRAME_BYTES) {
        DeliveredChunks.require(
            frame < frames.size(), "%d frames end within chunk %d", frames.size(), i);
        int size = frames.get(frame).size();
        int right = Math.min(left, BodyFrames.MAX_FRAME_BYTES);
        DeliveredChunks.require(size == right, "frame of %d bytes where %d are due", size, right);
        frame++;
      }
    }
    DeliveredChunks.require(
        frame == frames.size(), "%d frames came, %d are due", frames.size(), frame);
    return new FramedDelivery(chunks, frames);
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
    for (long at = 0; at < target.byteSize(); ) {
      Frame frame = frames.get(nextFrame++);
      frame.copyTo(target.asSlice(at));
      frame.release();
      at += frame.size();
    }
    return ChunkChecksum.of(target) == chunks.checksums().get(nextChunk++);
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

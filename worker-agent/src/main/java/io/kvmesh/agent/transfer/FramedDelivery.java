package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/** Chunks in receive buffers, which are checked after the copy. */
final class FramedDelivery extends Delivery {

  private final long requestId;
  private final List<Frame> frames;

  /** Index of each chunk's first frame, then of none. */
  private final int[] firstFrames;

  private final FrameContent content;
  private final CompressedForms forms;
  private final Counters<PullCount> counters;

  private FramedDelivery(
      DeliveredChunks chunks,
      CompressedForms forms,
      ReplyBodies bodies,
      int[] firstFrames,
      FrameContent content,
      Counters<PullCount> counters) {
    super(chunks);
    this.forms = forms;
    this.counters = counters;
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
  static FramedDelivery of(
      DeliveredChunks chunks,
      CompressedForms forms,
      ReplyBodies bodies,
      FrameContent content,
      Counters<PullCount> counters)
      throws BrokenReplyException {
    List<Frame> frames = bodies.frames();
    int most = BodyFrames.mostBytes(content.overheadBytes());
    int[] firstFrames = new int[chunks.count() + 1];
    int frame = 0;
    for (int i = 0; i < chunks.count(); i++) {
      for (int left = forms.length(i); left > 0; left -= most) {
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
    return new FramedDelivery(chunks, forms, bodies, firstFrames, content, counters);
  }

  /** A seal is broken by one thread. */
  @Override
  boolean copiesInAnyOrder() {
    return false;
  }

  @Override
  Copied copy(int chunk, MemorySegment target, ChunkChecksum sum) {
    CompressionMethod method = forms.method(chunk);
    if (method == null) {
      return gather(chunk, target, sum::add) ? Copied.RIGHT : Copied.HARMED;
    }
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment shorter = scratch.allocate(forms.length(chunk));
      if (!gather(chunk, shorter, part -> {})) {
        return Copied.HARMED;
      }
      return expand(method, shorter, target, sum) ? Copied.RIGHT : Copied.MALFORMED;
    }
  }

  private boolean expand(
      CompressionMethod method, MemorySegment shorter, MemorySegment target, ChunkChecksum sum) {
    if (!method.expand(shorter, target)) {
      return false;
    }
    sum.add(target);
    counters.count(PullCount.CHUNK_COMPRESSED);
    counters.add(PullCount.BYTE_SAVED, target.byteSize() - shorter.byteSize());
    return true;
  }

  /**
   * Copies what came of a chunk; answers whether it was meant for here.
   *
   * @param copied sees each part of the target once it is copied, in order
   */
  private boolean gather(int chunk, MemorySegment target, Consumer<MemorySegment> copied) {
    boolean meant = true;
    long at = 0;
    for (int i = firstFrames[chunk]; i < firstFrames[chunk + 1]; i++) {
      Frame frame = frames.get(i);
      MemorySegment part = target.asSlice(at, frame.size() - content.overheadBytes());
      meant &= content.copy(requestId, i + 1, frame, part);
      frame.release();
      copied.accept(part);
      at += part.byteSize();
    }
    return meant;
  }

  @Override
  public void close() {
    frames.forEach(Frame::release);
  }
}

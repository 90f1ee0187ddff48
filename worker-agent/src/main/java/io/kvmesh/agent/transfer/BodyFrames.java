package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks as frames of a message: each chunk begins a frame, and a frame has at most 1 MiB, or half
 * of it where it is sealed.
 */
final class BodyFrames {

  /** Longer bodies are cut: JeroMQ's throughput falls above it. */
  private static final int MAX_FRAME_BYTES = 1 << 20;

  /**
   * A sealed frame is an array. With its header it is shorter than half of the smallest region of
   * the G1 collector, which gives a longer one regions of its own.
   */
  private static final int MAX_SEALED_FRAME_BYTES = (512 << 10) - 64;

  private BodyFrames() {}

  /** What a frame holds of a chunk, at most, where so many bytes are added to each. */
  static int mostBytes(int overheadBytes) {
    return overheadBytes == 0 ? MAX_FRAME_BYTES : MAX_SEALED_FRAME_BYTES - overheadBytes;
  }

  /**
   * The pages themselves: valid until the lease is closed.
   *
   * @param overheadBytes that will be added to each frame
   */
  static List<Frame> of(ChunkLease lease, int overheadBytes) {
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < lease.size(); i++) {
      cut(lease.stored(i), mostBytes(overheadBytes), frames);
    }
    return frames;
  }

  /** Memory of their own, which lives as long as somebody refers to it. */
  static List<Frame> copyOf(ChunkLease lease, int overheadBytes) {
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < lease.size(); i++) {
      MemorySegment body = lease.stored(i);
      MemorySegment copy = Arena.ofAuto().allocate(body.byteSize());
      cut(copy.copyFrom(body), mostBytes(overheadBytes), frames);
    }
    return frames;
  }

  private static void cut(MemorySegment body, int most, List<Frame> into) {
    for (long from = 0; from < body.byteSize(); from += most) {
      long length = Math.min(most, body.byteSize() - from);
      into.add(Frame.of(body.asSlice(from, length)));
    }
  }
}

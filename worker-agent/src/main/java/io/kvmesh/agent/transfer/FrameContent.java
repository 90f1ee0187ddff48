package io.kvmesh.agent.transfer;

import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;

/** How bytes of chunks lie in a frame. One thread. */
interface FrameContent {

  /** As they are. */
  FrameContent PLAIN =
      new FrameContent() {
        @Override
        public int overheadBytes() {
          return 0;
        }

        @Override
        public boolean copy(long requestId, int index, Frame frame, MemorySegment target) {
          frame.copyTo(target);
          return true;
        }
      };

  /** Bytes of a frame that are none of a chunk. */
  int overheadBytes();

  /**
   * Copies a frame's content.
   *
   * @param index of the frame in its message, which has its payload at 0
   * @param target exactly as long as the content
   * @return false if the frame wasn't meant for here; the target then holds anything
   */
  boolean copy(long requestId, int index, Frame frame, MemorySegment target);
}

package io.kvmesh.agent.transfer;

import io.kvmesh.common.zmq.Frame;
import java.lang.foreign.MemorySegment;

/** Sealed for the request that they answer. One thread. */
final class SealedContent implements FrameContent {

  private final FrameSeal.Opener opener;

  SealedContent(FrameSeal.Opener opener) {
    this.opener = opener;
  }

  @Override
  public int overheadBytes() {
    return FrameSeal.OVERHEAD_BYTES;
  }

  @Override
  public boolean copy(long requestId, int index, Frame frame, MemorySegment target) {
    return opener.open(requestId, index, frame.buffer(), target.asByteBuffer());
  }
}

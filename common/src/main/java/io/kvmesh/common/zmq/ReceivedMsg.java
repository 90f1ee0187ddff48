package io.kvmesh.common.zmq;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import zmq.Msg;
import zmq.io.Metadata;

/** A frame that is being received. The library says whose it is once it is whole. */
final class ReceivedMsg extends Msg {

  private final byte @Nullable [] array;
  private final ReceiveBuffers.@Nullable Lease lease;
  private final @Nullable ConnectionGuard guard;
  private final boolean lost;

  private ReceivedMsg(
      byte[] array, ReceiveBuffers.@Nullable Lease lease, @Nullable ConnectionGuard guard) {
    super(array);
    this.array = array;
    this.lease = lease;
    this.guard = guard;
    this.lost = false;
  }

  private ReceivedMsg(
      ByteBuffer memory,
      ReceiveBuffers.@Nullable Lease lease,
      @Nullable ConnectionGuard guard,
      boolean lost) {
    super(memory);
    this.array = null;
    this.lease = lease;
    this.guard = guard;
    this.lost = lost;
  }

  /** On the heap, the whole array; without a lease on no account. */
  static ReceivedMsg onHeap(
      byte[] array, ReceiveBuffers.@Nullable Lease lease, @Nullable ConnectionGuard guard) {
    return new ReceivedMsg(array, lease, guard);
  }

  /** In native memory. */
  static ReceivedMsg inNative(
      ByteBuffer memory, ReceiveBuffers.Lease lease, @Nullable ConnectionGuard guard) {
    return new ReceivedMsg(memory, lease, guard, false);
  }

  /** In memory that others write, too: its bytes are lost. */
  static ReceivedMsg lost(ByteBuffer waste, @Nullable ConnectionGuard guard) {
    return new ReceivedMsg(waste, null, guard, true);
  }

  /** The bytes, where they are on the heap. */
  byte @Nullable [] array() {
    return array;
  }

  ReceiveBuffers.@Nullable Lease lease() {
    return lease;
  }

  boolean isLost() {
    return lost;
  }

  @Override
  public Msg setMetadata(Metadata metadata) {
    if (guard != null) {
      guard.onFrame(metadata, hasMore(), isCommand());
    }
    return super.setMetadata(metadata);
  }
}

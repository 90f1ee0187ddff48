package io.kvmesh.common.zmq;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import zmq.Msg;

/**
 * One frame of a message. What was received lies on the heap or, if large, in a receive buffer that
 * {@link #release} gives back. What is to be sent isn't copied: it must not change until it has
 * left, which only an answer of the peer proves.
 */
public final class Frame {

  private static final byte[] NOTHING = {};

  /** The empty frame. */
  public static final Frame EMPTY = of(NOTHING);

  private final ByteBuffer content;
  private final byte @Nullable [] array;
  private final ReceiveBuffers.@Nullable Lease lease;

  private Frame(ByteBuffer content, byte @Nullable [] array, ReceiveBuffers.@Nullable Lease lease) {
    this.content = content;
    this.array = array;
    this.lease = lease;
  }

  /** A frame of these bytes, which aren't copied. */
  public static Frame of(byte[] content) {
    return new Frame(ByteBuffer.wrap(content), content, null);
  }

  /** A frame of these bytes, which aren't copied; less than 2 GiB. */
  public static Frame of(MemorySegment content) {
    return new Frame(content.asByteBuffer(), null, null);
  }

  static Frame received(Msg message) {
    if (!(message instanceof ReceivedMsg received)) {
      return of(message.data());
    }
    return new Frame(received.buf(), received.array(), received.lease());
  }

  /** A message of the library that holds exactly these bytes. */
  Msg toMessage() {
    // A slice: where its capacity is larger than its limit, the library writes up to the capacity.
    return array == null ? new Msg(content.slice()) : new Msg(array);
  }

  /** Number of bytes. */
  public int size() {
    return content.remaining();
  }

  /** Whether it has no bytes. */
  public boolean isEmpty() {
    return !content.hasRemaining();
  }

  /** The bytes: the frame's own array if it has one, else a copy. */
  public byte[] toArray() {
    if (array != null) {
      return array;
    }
    byte[] copy = new byte[size()];
    content.get(content.position(), copy);
    return copy;
  }

  /** A read-only view, valid until released. */
  public ByteBuffer buffer() {
    return content.asReadOnlyBuffer();
  }

  /** Copies all bytes to the start of the target, which must be large enough. */
  public void copyTo(MemorySegment target) {
    target.asSlice(0, size()).copyFrom(MemorySegment.ofBuffer(content));
  }

  /** Gives a receive buffer back: the frame must not be read any more. Idempotent, any thread. */
  public void release() {
    if (lease != null) {
      lease.close();
    }
  }

  @Override
  public String toString() {
    return size() + " bytes";
  }
}

package io.kvmesh.common.zmq;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import zmq.Msg;
import zmq.msg.MsgAllocator;

/**
 * Native memory that large frames are received into, in sizes of powers of two. The library asks
 * for it before anything of the message is known, and drops it when a connection dies: such a
 * buffer is garbage and leaves the account when it is collected. Beyond the bound, frames are
 * received on the heap. Any thread.
 */
final class ReceiveBuffers implements MsgAllocator {

  /** Smaller frames are cheaper on the heap. */
  static final int MIN_BYTES = 32 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(ReceiveBuffers.class);
  private static final int LARGEST_CLASS = 1 << 30;
  private static final Cleaner CLEANER = Cleaner.create();

  private final long maxBytes;
  private final AtomicLong nativeBytes = new AtomicLong();
  private final AtomicLong overflows = new AtomicLong();

  @GuardedBy("this")
  private final Map<Integer, Deque<Buffer>> free = new HashMap<>();

  ReceiveBuffers(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public Msg allocate(int size) {
    if (size < MIN_BYTES || size > LARGEST_CLASS) {
      return onHeap(size);
    }
    int capacity = Integer.highestOneBit(size - 1) << 1;
    Buffer buffer = takeFree(capacity);
    if (buffer == null) {
      buffer = tryNewBuffer(capacity);
    }
    if (buffer == null) {
      overflows.incrementAndGet();
      return onHeap(size);
    }
    return new PooledMsg(new Lease(buffer), size);
  }

  /**
   * Never throws: the library would call again and again. Without memory, or for the negative size
   * that it makes of a length beyond 2^63, the message is empty; what follows it is then read as
   * frames and, as garbage, refused.
   */
  private static Msg onHeap(int size) {
    try {
      return new Msg(Math.max(0, size));
    } catch (OutOfMemoryError e) {
      LOG.error("No memory for a frame of {} bytes", size, e);
      return new Msg(0);
    }
  }

  /** Native memory that exists, in use or free. */
  long nativeBytes() {
    return nativeBytes.get();
  }

  /** Frames that came to the heap because the bound was reached. */
  long overflows() {
    return overflows.get();
  }

  private @Nullable Buffer tryNewBuffer(int capacity) {
    AtomicLong account = nativeBytes;
    if (account.addAndGet(capacity) <= maxBytes) {
      try {
        Buffer buffer = new Buffer(Arena.ofAuto().allocate(capacity));
        CLEANER.register(buffer, () -> account.addAndGet(-capacity));
        return buffer;
      } catch (OutOfMemoryError e) {
        LOG.warn("No native memory for a receive buffer of {} bytes", capacity, e);
      }
    }
    account.addAndGet(-capacity);
    return null;
  }

  private synchronized @Nullable Buffer takeFree(int capacity) {
    Deque<Buffer> buffers = free.get(capacity);
    return buffers == null ? null : buffers.pollLast();
  }

  private synchronized void giveBack(Buffer buffer) {
    int capacity = (int) buffer.memory().byteSize();
    free.computeIfAbsent(capacity, any -> new ArrayDeque<>()).addLast(buffer);
  }

  private record Buffer(MemorySegment memory) {}

  /** A buffer in use by one frame. */
  final class Lease implements AutoCloseable {

    private final Buffer buffer;
    private final AtomicBoolean open = new AtomicBoolean(true);

    private Lease(Buffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public void close() {
      if (open.compareAndSet(true, false)) {
        giveBack(buffer);
      }
    }
  }

  /** A message in a buffer of ours. */
  static final class PooledMsg extends Msg {

    private final Lease lease;

    private PooledMsg(Lease lease, int size) {
      super(lease.buffer.memory().asSlice(0, size).asByteBuffer());
      this.lease = lease;
    }

    Lease lease() {
      return lease;
    }
  }
}

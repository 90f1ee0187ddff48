package io.kvmesh.common.zmq;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
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
 * Memory that large frames are received into: native, in sizes of powers of two, and beyond that
 * bound on the heap, up to another one. The library asks for it before anything of the message is
 * known, as soon as its length is announced, and drops it when a connection dies: such a buffer is
 * garbage and leaves the account when it is collected. Beyond both bounds a frame is read all the
 * same, so that the next one's start is known, into memory that nobody reads: it is lost. Any
 * thread.
 */
final class ReceiveBuffers implements MsgAllocator {

  /** Smaller frames are cheaper on the heap, and on no account. */
  static final int MIN_BYTES = 32 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(ReceiveBuffers.class);
  private static final int LARGEST_CLASS = 1 << 30;
  private static final byte[] NOTHING = {};
  private static final Cleaner CLEANER = Cleaner.create();

  private final long maxNativeBytes;
  private final long maxHeapBytes;
  private final AtomicLong nativeBytes = new AtomicLong();
  private final AtomicLong heapBytes = new AtomicLong();
  private final AtomicLong overflows = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  @GuardedBy("this")
  private final Map<Integer, Deque<Buffer>> free = new HashMap<>();

  /** What is written there is read by nobody. */
  @GuardedBy("this")
  private ByteBuffer waste = ByteBuffer.allocate(0);

  ReceiveBuffers(long maxNativeBytes, long maxHeapBytes) {
    this.maxNativeBytes = maxNativeBytes;
    this.maxHeapBytes = maxHeapBytes;
  }

  /** The same buffers, for frames of which a guard is told. */
  MsgAllocator guardedBy(ConnectionGuard guard) {
    return size -> allocate(size, guard);
  }

  @Override
  public Msg allocate(int size) {
    return allocate(size, null);
  }

  /**
   * Never throws: the library would call again and again. Without memory, or for the negative size
   * that it makes of a length beyond 2^63, the message is empty; what follows it is then read as
   * frames and, as garbage, refused.
   */
  private Msg allocate(int size, @Nullable ConnectionGuard guard) {
    try {
      if (size < MIN_BYTES) {
        return ReceivedMsg.onHeap(new byte[Math.max(0, size)], null, guard);
      }
      ReceivedMsg inNative = size > LARGEST_CLASS ? null : tryNative(size, guard);
      if (inNative != null) {
        return inNative;
      }
      overflows.incrementAndGet();
      ReceivedMsg onHeap = tryHeap(size, guard);
      return onHeap == null ? lost(size, guard) : onHeap;
    } catch (OutOfMemoryError e) {
      LOG.error("No memory for a frame of {} bytes", size, e);
      return ReceivedMsg.onHeap(NOTHING, null, guard);
    }
  }

  private @Nullable ReceivedMsg tryNative(int size, @Nullable ConnectionGuard guard) {
    int capacity = Integer.highestOneBit(size - 1) << 1;
    Buffer buffer = takeFree(capacity);
    if (buffer == null) {
      buffer = tryNewBuffer(capacity);
    }
    if (buffer == null) {
      return null;
    }
    Buffer taken = buffer;
    return ReceivedMsg.inNative(
        taken.memory().asSlice(0, size).asByteBuffer(), new Lease(() -> giveBack(taken)), guard);
  }

  /** Its lease, or else the collector, takes it off the account. */
  private @Nullable ReceivedMsg tryHeap(int size, @Nullable ConnectionGuard guard) {
    AtomicLong account = heapBytes;
    if (account.addAndGet(size) > maxHeapBytes) {
      account.addAndGet(-size);
      return null;
    }
    Lease lease = new Lease(() -> account.addAndGet(-size));
    try {
      byte[] array = new byte[size];
      CLEANER.register(array, lease::close);
      return ReceivedMsg.onHeap(array, lease, guard);
    } catch (OutOfMemoryError e) {
      LOG.warn("No heap for a frame of {} bytes", size, e);
      lease.close();
      return null;
    }
  }

  private ReceivedMsg lost(int size, @Nullable ConnectionGuard guard) {
    lost.incrementAndGet();
    ByteBuffer memory;
    synchronized (this) {
      if (waste.capacity() < size) {
        waste = ByteBuffer.allocate(size);
      }
      memory = waste.slice(0, size);
    }
    return ReceivedMsg.lost(memory, guard);
  }

  /** Native memory that exists, in use or free. */
  long nativeBytes() {
    return nativeBytes.get();
  }

  /** Heap that large frames take. */
  long heapBytes() {
    return heapBytes.get();
  }

  /** Frames for which there was no native memory. */
  long overflows() {
    return overflows.get();
  }

  /** Of these, those for which there was no heap either. */
  long lost() {
    return lost.get();
  }

  private @Nullable Buffer tryNewBuffer(int capacity) {
    AtomicLong account = nativeBytes;
    if (account.addAndGet(capacity) <= maxNativeBytes) {
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

  /** Memory in use by one frame. */
  static final class Lease implements AutoCloseable {

    private final Runnable giveBack;
    private final AtomicBoolean open = new AtomicBoolean(true);

    private Lease(Runnable giveBack) {
      this.giveBack = giveBack;
    }

    @Override
    public void close() {
      if (open.compareAndSet(true, false)) {
        giveBack.run();
      }
    }
  }
}

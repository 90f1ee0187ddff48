package io.kvmesh.agent.engine.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection, read and written by one thread, which waits for the client. Any thread may
 * close it. What is small goes through two buffers; a body goes between the socket and its memory.
 * What is in the outgoing buffer is sent before anything is waited for.
 */
public final class TcpConnection {

  /** The longest line, header or part of one that can be asked for at once. */
  public static final int BUFFER_BYTES = 8192;

  /** So much is handed to the socket at a time, so that slow progress is seen. */
  private static final int PIECE_BYTES = 1 << 20;

  private final SocketChannel channel;
  private final LongSupplier nanoTime;
  private final ByteBuffer in = buffer().limit(0);
  private final ByteBuffer out = buffer();
  private volatile @Nullable Wait wait;
  private volatile boolean draining;

  /**
   * For the client, since that moment.
   *
   * @param idle for its next request
   */
  private record Wait(boolean idle, long sinceNanos) {}

  TcpConnection(SocketChannel channel, LongSupplier nanoTime) {
    this.channel = channel;
    this.nanoTime = nanoTime;
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Waits for the first byte of a request; false if there won't be one. */
  boolean awaitRequest() throws IOException {
    if (in.hasRemaining()) {
      return !draining;
    }
    flush();
    in.clear();
    wait = new Wait(true, nanoTime.getAsLong());
    int read = draining ? -1 : channel.read(in);
    wait = null;
    in.flip();
    return read > 0;
  }

  /**
   * Waits until so many bytes are in the buffer.
   *
   * @param bytes at most BUFFER_BYTES
   * @return the buffer, little-endian, from which the caller takes what it has used
   * @throws EOFException if the client ends before
   */
  public ByteBuffer require(int bytes) throws IOException {
    if (in.capacity() - in.position() < bytes) {
      in.compact().flip();
    }
    while (in.remaining() < bytes) {
      more();
    }
    return in;
  }

  private void more() throws IOException {
    flush();
    int end = in.limit();
    in.mark();
    in.limit(in.capacity()).position(end);
    try {
      read(in);
    } finally {
      end = in.position();
      in.reset().limit(end);
    }
  }

  private void read(ByteBuffer target) throws IOException {
    wait = new Wait(false, nanoTime.getAsLong());
    int read = channel.read(target);
    wait = null;
    if (read < 0) {
      throw new EOFException("the client has gone in the middle of a request");
    }
  }

  /** Fills the body, from the socket into its memory but for what is in the buffer already. */
  public void readInto(MemorySegment body) throws IOException {
    int at = (int) Math.min(in.remaining(), body.byteSize());
    MemorySegment.copy(MemorySegment.ofBuffer(in), 0, body, 0, at);
    in.position(in.position() + at);
    if (at < body.byteSize()) {
      flush();
      ByteBuffer rest = body.asSlice(at).asByteBuffer();
      while (rest.hasRemaining()) {
        read(rest);
      }
    }
  }

  /** Reads so many bytes that nobody wants. */
  public void discard(long bytes) throws IOException {
    long left = bytes;
    while (left > 0) {
      int piece = (int) Math.min(left, Math.max(1, in.remaining()));
      require(piece).position(in.position() + piece);
      left -= piece;
    }
  }

  /**
   * Room for what is to be sent, little-endian; it is sent later, with what follows it.
   *
   * @param bytes at most BUFFER_BYTES
   */
  public ByteBuffer room(int bytes) throws IOException {
    if (out.remaining() < bytes) {
      flush();
    }
    return out;
  }

  /** Sends what waits to be sent. */
  public void flush() throws IOException {
    if (out.position() > 0) {
      out.flip();
      write(out);
      out.clear();
    }
  }

  /** Sends what waits to be sent, and a body out of its memory. */
  public void send(MemorySegment body) throws IOException {
    out.flip();
    ByteBuffer all = body.asByteBuffer();
    ByteBuffer[] parts = {out, all};
    while (all.position() < all.capacity()) {
      all.limit(Math.min(all.position() + PIECE_BYTES, all.capacity()));
      write(parts);
    }
    out.clear();
  }

  /** Writes all of them; the last one isn't empty. */
  private void write(ByteBuffer... parts) throws IOException {
    while (parts[parts.length - 1].hasRemaining()) {
      wait = new Wait(false, nanoTime.getAsLong());
      channel.write(parts);
    }
    wait = null;
  }

  /** Whether it waits for its next request, or was closed while it did. */
  boolean isIdle() {
    Wait current = wait;
    return current != null && current.idle();
  }

  /** Whether it has waited for its next request for so long. */
  boolean isIdleFor(long nanos) {
    Wait current = wait;
    return current != null && current.idle() && nanoTime.getAsLong() - current.sinceNanos() > nanos;
  }

  /** Whether it has waited for so long in the middle of a request or reply. */
  boolean isStalledFor(long nanos) {
    Wait current = wait;
    return current != null
        && !current.idle()
        && nanoTime.getAsLong() - current.sinceNanos() > nanos;
  }

  /** Takes no further request; closes at once if it waits for one. */
  void drain() {
    draining = true;
    if (isIdle()) {
      close();
    }
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  void close() {
    try {
      channel.close();
    } catch (IOException ignored) {
      // It is closed all the same.
    }
  }
}

package io.kvmesh.agent.engine.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
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

  /** Bytes a second; who is slower for long makes no progress, however often it sends a byte. */
  private static final long LEAST_RATE = 64 << 10;

  private final SocketChannel channel;
  private final LongSupplier nanoTime;
  private final ByteBuffer in = buffer().limit(0);
  private final ByteBuffer out = buffer();
  private volatile @Nullable Wait wait;
  private volatile boolean draining;
  private volatile boolean asked;

  /**
   * By how much the client is behind, in what is under way, one that sends or takes LEAST_RATE. Who
   * is faster makes up for earlier waits, as a client does that only paused.
   */
  private long lagNanos;

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
    lagNanos = 0;
    if (in.hasRemaining()) {
      return !draining;
    }
    flush();
    in.clear();
    wait = new Wait(true, nanoTime.getAsLong());
    int read = draining ? -1 : channel.read(in);
    wait = null;
    in.flip();
    if (read > 0) {
      asked = true;
    }
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

  private void read(ByteBuffer... targets) throws IOException {
    long begin = beginWait();
    long read = channel.read(targets);
    endWait(begin, read);
    if (read < 0) {
      throw new EOFException("the client has gone in the middle of a request");
    }
  }

  /**
   * Waits for a line, which may be empty, and takes it.
   *
   * @param maxBytes of the line without its end, which is LF or CR LF; at most BUFFER_BYTES - 2
   * @return the line without its end
   * @throws BadRequestException if it is longer
   */
  public byte[] line(int maxBytes) throws IOException {
    int length = 0;
    while (true) {
      if (length >= in.remaining()) {
        require(in.remaining() + 1);
      }
      if (in.get(in.position() + length) == '\n') {
        return takeLine(length, maxBytes);
      }
      if (++length > maxBytes + 1) {
        throw tooLong(maxBytes);
      }
    }
  }

  /** Takes a line, which is followed by its LF. */
  private byte[] takeLine(int length, int maxBytes) throws BadRequestException {
    boolean endsInCr = length > 0 && in.get(in.position() + length - 1) == '\r';
    byte[] line = new byte[endsInCr ? length - 1 : length];
    if (line.length > maxBytes) {
      throw tooLong(maxBytes);
    }
    in.get(line);
    in.position(in.position() + (endsInCr ? 2 : 1));
    return line;
  }

  private static BadRequestException tooLong(int maxBytes) {
    return new BadRequestException("a line of more than %d bytes".formatted(maxBytes));
  }

  /**
   * Fills the body, from the socket into its memory but for what is in the buffer already. What
   * comes right behind it is read with its last bytes.
   */
  public void readInto(MemorySegment body) throws IOException {
    int at = (int) Math.min(in.remaining(), body.byteSize());
    MemorySegment.copy(MemorySegment.ofBuffer(in), 0, body, 0, at);
    in.position(in.position() + at);
    if (at < body.byteSize()) {
      flush();
      ByteBuffer rest = body.asSlice(at).asByteBuffer();
      in.clear();
      while (rest.hasRemaining()) {
        read(rest, in);
      }
      in.flip();
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
    send(body, ByteBuffer.allocate(0));
  }

  /** As above, with what follows the body. */
  public void send(MemorySegment body, ByteBuffer after) throws IOException {
    out.flip();
    ByteBuffer all = body.asByteBuffer();
    while (all.capacity() - all.position() > PIECE_BYTES) {
      all.limit(all.position() + PIECE_BYTES);
      write(out, all);
    }
    all.limit(all.capacity());
    write(out, all, after);
    out.clear();
  }

  /** Writes all of them. */
  private void write(ByteBuffer... parts) throws IOException {
    while (Arrays.stream(parts).anyMatch(ByteBuffer::hasRemaining)) {
      long begin = beginWait();
      endWait(begin, channel.write(parts));
    }
  }

  private long beginWait() {
    long now = nanoTime.getAsLong();
    wait = new Wait(false, now - lagNanos);
    return now;
  }

  private void endWait(long begin, long bytes) {
    wait = null;
    long waited = nanoTime.getAsLong() - begin;
    long worth = TimeUnit.SECONDS.toNanos(1) / LEAST_RATE * Math.max(0, bytes);
    lagNanos = Math.max(0, lagNanos + waited - worth);
  }

  /** Whether it waits for its next request, or was closed while it did. */
  boolean isIdle() {
    Wait current = wait;
    return current != null && current.idle();
  }

  /** Since when it waits for its first request; empty = it has had one. */
  OptionalLong silentSince() {
    Wait current = wait;
    return asked || current == null || !current.idle()
        ? OptionalLong.empty()
        : OptionalLong.of(current.sinceNanos());
  }

  /** Whether it has waited for its next request for so long. */
  boolean isIdleFor(long nanos) {
    Wait current = wait;
    return current != null && current.idle() && nanoTime.getAsLong() - current.sinceNanos() > nanos;
  }

  /** Whether it is behind by so much in the middle of a request or reply. */
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

package io.kvmesh.agent.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.OptionalLong;

/**
 * A connection of an engine's process to the Unix socket. The kernel closes it when the process
 * ends, however it ends, and never before. Its first eight bytes, big-endian, are the id of the
 * session that it keeps; it is answered one byte, 1 or 0.
 */
final class Lifeline {

  private static final byte TIED = 1;
  private static final byte REFUSED = 0;

  private final SocketChannel channel;
  private final long sinceNanos;
  private final ByteBuffer read = ByteBuffer.allocate(Long.BYTES);

  Lifeline(SocketChannel channel, long nowNanos) {
    this.channel = channel;
    this.sinceNanos = nowNanos;
  }

  /**
   * Reads what has come; the thread of the socket alone.
   *
   * @return false if it has ended
   */
  boolean read() {
    try {
      int bytes;
      do {
        ByteBuffer into = read.hasRemaining() ? read : ByteBuffer.allocate(Long.BYTES);
        bytes = channel.read(into);
      } while (bytes > 0);
      return bytes == 0;
    } catch (IOException gone) {
      return false;
    }
  }

  /** The session's id, once it has come. */
  OptionalLong sessionId() {
    return read.hasRemaining() ? OptionalLong.empty() : OptionalLong.of(read.getLong(0));
  }

  /** Whether it should have named its session by now. */
  boolean isOverdue(long beforeNanos) {
    return read.hasRemaining() && sinceNanos - beforeNanos < 0;
  }

  /** Tells the process whether its session is tied to it; if not it ends. Any thread. */
  void answer(boolean tied) {
    try {
      channel.write(ByteBuffer.wrap(new byte[] {tied ? TIED : REFUSED}));
    } catch (IOException gone) {
      // The socket's thread finds out too.
    }
    if (!tied) {
      close();
    }
  }

  /** Any thread; idempotent. */
  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }
}

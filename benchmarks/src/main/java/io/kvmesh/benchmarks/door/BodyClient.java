package io.kvmesh.benchmarks.door;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A client with one connection that knows how long replies are, and reads them into native memory
 * that it has once and for all. One thread.
 */
final class BodyClient implements AutoCloseable {

  private final SocketChannel channel;
  private final ByteBuffer reply;

  /**
   * Connects.
   *
   * @param maxReplyBytes the longest reply
   */
  BodyClient(int port, int maxReplyBytes) throws IOException {
    channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    reply = Question.memory(maxReplyBytes);
  }

  /**
   * Sends a request and waits for all of the reply.
   *
   * @throws IOException also if it isn't the right one
   */
  void ask(Question question) throws IOException {
    ByteBuffer request = question.request().rewind();
    while (request.hasRemaining()) {
      channel.write(request);
    }
    question.prepare(reply, 0);
    boolean fits = true;
    while (fits && reply.hasRemaining()) {
      if (channel.read(reply) < 0) {
        throw new EOFException("the server is gone");
      }
      fits = question.fits(reply);
    }
    if (!fits) {
      throw new IOException("not the reply that was expected");
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

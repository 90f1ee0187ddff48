package io.kvmesh.benchmarks.door;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections to one server, on some of which a reply is always under way. All replies are
 * read into the same native memory. One thread.
 */
final class ManyClients implements AutoCloseable {

  private static final long LONGEST_SILENCE_MILLIS = 10_000;

  private final Selector selector = Selector.open();
  private final List<SelectionKey> connections = new ArrayList<>();
  private final List<Question> questions;
  private final ByteBuffer memory;
  private int asked;
  private int answered;

  /** What is awaited on a connection. */
  private static final class Reply {
    final Question question;
    int bytes;

    Reply(Question question) {
      this.question = question;
    }
  }

  /**
   * Connects.
   *
   * @param questions which are asked in turn
   */
  ManyClients(int port, int count, List<Question> questions) throws IOException {
    this.questions = questions;
    memory = Question.memory(questions.stream().mapToInt(Question::replyBytes).max().orElseThrow());
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < count; i++) {
      SocketChannel channel = SocketChannel.open(server);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      connections.add(channel.register(selector, 0));
    }
  }

  /**
   * Gets so many replies in all.
   *
   * @param active connections that ask for one after the other
   */
  void run(int active, int replies) throws IOException {
    asked = 0;
    answered = 0;
    for (int i = 0; i < Math.min(active, replies); i++) {
      ask(connections.get(i * (connections.size() / active)));
    }
    while (answered < replies) {
      int ready = selector.select(key -> read(key, replies), LONGEST_SILENCE_MILLIS);
      if (ready == 0) {
        throw new IOException("the server is silent");
      }
    }
  }

  private void ask(SelectionKey connection) throws IOException {
    Question question = questions.get(asked % questions.size());
    asked++;
    connection.attach(new Reply(question));
    connection.interestOps(SelectionKey.OP_READ);
    ByteBuffer request = question.request().rewind();
    if (((SocketChannel) connection.channel()).write(request) < request.limit()) {
      throw new IOException("no room for a request");
    }
  }

  private void read(SelectionKey connection, int replies) {
    try {
      Reply reply = (Reply) connection.attachment();
      reply.question.prepare(memory, reply.bytes);
      if (((SocketChannel) connection.channel()).read(memory) < 0) {
        throw new EOFException("the server is gone");
      }
      if (reply.bytes == 0 && !reply.question.fits(memory)) {
        throw new IOException("not the reply that was expected");
      }
      reply.bytes = reply.question.came(memory);
      if (!memory.hasRemaining()) {
        next(connection, replies);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void next(SelectionKey connection, int replies) throws IOException {
    answered++;
    if (asked < replies) {
      ask(connection);
    } else {
      connection.interestOps(0);
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey connection : connections) {
      connection.channel().close();
    }
    selector.close();
  }
}

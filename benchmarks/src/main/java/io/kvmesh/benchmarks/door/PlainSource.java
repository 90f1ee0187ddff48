package io.kvmesh.benchmarks.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The yardstick: whoever sends a number of one byte is sent that body out of native memory. Nothing
 * is looked up, checked or kept. For one connection.
 */
final class PlainSource implements AutoCloseable {

  private final ServerSocketChannel door;
  private final ByteBuffer[] bodies;

  PlainSource(int chunks, int chunkBytes) throws IOException {
    bodies = new ByteBuffer[chunks];
    for (int i = 0; i < chunks; i++) {
      bodies[i] = Question.joined(Question.filled(chunkBytes, i));
    }
    door = ServerSocketChannel.open();
    door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofPlatform().daemon().name("plain-source").start(this::serve);
  }

  int port() {
    return door.socket().getLocalPort();
  }

  Question get(int number) {
    return new Question(
        Question.joined(ByteBuffer.wrap(new byte[] {(byte) number})),
        Question.told(number),
        0,
        bodies[number].limit());
  }

  private void serve() {
    ByteBuffer asked = ByteBuffer.allocateDirect(1);
    try (SocketChannel connection = door.accept()) {
      connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
      while (connection.read(asked.clear()) > 0) {
        ByteBuffer body = bodies[asked.get(0)].rewind();
        while (body.hasRemaining()) {
          connection.write(body);
        }
      }
    } catch (ClosedChannelException e) {
      // closed by close()
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}

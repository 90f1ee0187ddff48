package io.kvmesh.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The yardstick: a plain SocketChannel on the loopback. The server writes all chunks of a request
 * with gathering writes from native memory, the client reads them with scattering reads into native
 * memory. Nothing is looked up, checked or kept.
 */
final class NioPull implements Contender {

  private static final int REQUEST_BYTES = 64;

  private final Arena memory = Arena.ofShared();
  private final ByteBuffer[] targets;
  private final ServerSocketChannel door;
  private final SocketChannel client;
  private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);

  NioPull(int chunks, int chunkBytes) throws IOException {
    ByteBuffer[] sources = buffers(chunks, chunkBytes);
    targets = buffers(chunks, chunkBytes);
    door = ServerSocketChannel.open();
    door.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    Thread.ofPlatform().daemon().name("nio-server").start(() -> serve(sources));
    client = SocketChannel.open(door.getLocalAddress());
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private ByteBuffer[] buffers(int chunks, int chunkBytes) {
    ByteBuffer[] buffers = new ByteBuffer[chunks];
    for (int i = 0; i < chunks; i++) {
      MemorySegment segment = memory.allocate(chunkBytes);
      buffers[i] = segment.fill((byte) i).asByteBuffer();
    }
    return buffers;
  }

  @Override
  public String name() {
    return "NIO SocketChannel";
  }

  @Override
  public void pull() throws IOException {
    request.clear();
    while (request.hasRemaining()) {
      client.write(request);
    }
    for (ByteBuffer target : targets) {
      target.clear();
    }
    while (targets[targets.length - 1].hasRemaining()) {
      if (client.read(targets) < 0) {
        throw new EOFException("the server is gone");
      }
    }
  }

  private void serve(ByteBuffer[] sources) {
    try (SocketChannel connection = door.accept()) {
      connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
      ByteBuffer asked = ByteBuffer.allocateDirect(REQUEST_BYTES);
      while (true) {
        asked.clear();
        while (asked.hasRemaining()) {
          if (connection.read(asked) < 0) {
            return;
          }
        }
        answer(connection, sources);
      }
    } catch (ClosedChannelException e) {
      // closed by close()
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void answer(SocketChannel connection, ByteBuffer[] sources) throws IOException {
    for (ByteBuffer source : sources) {
      source.rewind();
    }
    while (sources[sources.length - 1].hasRemaining()) {
      connection.write(sources);
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    door.close();
  }
}

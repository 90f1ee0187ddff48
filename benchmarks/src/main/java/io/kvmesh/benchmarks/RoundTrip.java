package io.kvmesh.benchmarks;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/** The yardstick of a small pull: a bare JeroMQ question, and an answer as long as the chunk. */
final class RoundTrip implements Contender {

  private static final byte[] QUESTION = new byte[200];

  private final ZContext context = new ZContext();
  private final ZMQ.Socket client;

  RoundTrip(int answerBytes) {
    ZMQ.Socket server = context.createSocket(SocketType.ROUTER);
    int port = server.bindToRandomPort("tcp://127.0.0.1");
    Thread.ofPlatform().daemon().name("bare-server").start(() -> serve(server, answerBytes));
    client = context.createSocket(SocketType.DEALER);
    client.setHandshakeIvl(200);
    client.setReconnectIVL(10);
    client.connect("tcp://127.0.0.1:" + port);
  }

  private static void serve(ZMQ.Socket server, int answerBytes) {
    byte[] answer = new byte[answerBytes];
    try {
      while (true) {
        byte[] peer = server.recv();
        server.recv();
        server.sendMore(peer);
        server.send(answer);
      }
    } catch (ZMQException closed) {
      // closed by close()
    }
  }

  @Override
  public String name() {
    return "bare JeroMQ round trip";
  }

  @Override
  public void pull() {
    client.send(QUESTION);
    client.recv();
  }

  @Override
  public void close() {
    context.close();
  }
}

package io.kvmesh.benchmarks;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * A yardstick: a bare JeroMQ question, and an answer of so many frames. Each side has a context of
 * its own, so an I/O thread of its own, as two programs have.
 */
public final class RoundTrip implements Contender {

  private static final int QUESTION_BYTES = 200;

  private final String name;
  private final byte[] question;
  private final ZMQ.Context serverSide = ZMQ.context(1);
  private final ZContext clientSide = new ZContext();
  private final ZMQ.Socket client;

  /** The answer has one frame. */
  RoundTrip(int answerBytes) {
    this("bare JeroMQ round trip", QUESTION_BYTES, 1, answerBytes);
  }

  /** The answer has so many frames of one size. */
  public RoundTrip(String name, int questionBytes, int frames, int frameBytes) {
    this.name = name;
    this.question = new byte[questionBytes];
    ZMQ.Socket server = serverSide.socket(SocketType.ROUTER);
    server.setLinger(0);
    int port = server.bindToRandomPort("tcp://127.0.0.1");
    Thread.ofPlatform().daemon().name("bare-server").start(() -> serve(server, frames, frameBytes));
    client = clientSide.createSocket(SocketType.DEALER);
    client.setHandshakeIvl(200);
    client.setReconnectIVL(10);
    client.connect("tcp://127.0.0.1:" + port);
  }

  private static void serve(ZMQ.Socket server, int frames, int frameBytes) {
    byte[] frame = new byte[frameBytes];
    try {
      while (true) {
        byte[] peer = server.recv();
        server.recv();
        server.sendMore(peer);
        for (int i = 1; i < frames; i++) {
          server.sendMore(frame);
        }
        server.send(frame);
      }
    } catch (ZMQException ended) {
      // by close(), which waits for this
    } finally {
      server.close();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void pull() {
    client.send(question);
    do {
      client.recv();
    } while (client.hasReceiveMore());
  }

  @Override
  public void close() {
    clientSide.close();
    serverSide.term();
  }
}

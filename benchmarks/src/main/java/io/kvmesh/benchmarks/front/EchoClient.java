package io.kvmesh.benchmarks.front;

import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/** Asks a {@link BareEcho}, whose answers come in order. Belongs to one thread. */
final class EchoClient {

  /** As long as a lookup of a hundred hashes. */
  private static final int QUESTION_BYTES = 1000;

  private final ZmqSocket socket;
  private final Queue<Long> dueNanos = new ArrayDeque<>();
  private final byte[] question = new byte[QUESTION_BYTES];

  EchoClient(ZmqSockets sockets, String address) throws IOException {
    socket = sockets.connect(SocketKind.DEALER, address);
  }

  void ask(long due) {
    dueNanos.add(due);
    socket.send(question);
  }

  /** Takes the answers that are there; whether there was any. */
  boolean turn(Latencies into) {
    boolean any = false;
    while (!dueNanos.isEmpty()
        && socket.receive(
            (from, answer) -> {
              answer.release();
              into.add(System.nanoTime() - dueNanos.remove());
            })) {
      any = true;
    }
    return any;
  }

  boolean isIdle() {
    return dueNanos.isEmpty();
  }

  void close() {
    socket.close();
  }
}

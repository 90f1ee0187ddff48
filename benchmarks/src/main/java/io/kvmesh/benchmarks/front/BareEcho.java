package io.kvmesh.benchmarks.front;

import io.kvmesh.common.process.ParentWatch;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A yardstick, in a process of its own: a bare JeroMQ ROUTER that answers at once. */
final class BareEcho {

  static final String READY = "ready echo ";

  /** As long as an answer to a lookup. */
  private static final int ANSWER_BYTES = 120;

  private BareEcho() {}

  public static void main(String[] args) {
    ParentWatch.start(Long.parseLong(args[0]));
    try (ZContext context = new ZContext()) {
      ZMQ.Socket router = context.createSocket(SocketType.ROUTER);
      System.out.println(READY + "tcp://127.0.0.1:" + router.bindToRandomPort("tcp://127.0.0.1"));
      byte[] answer = new byte[ANSWER_BYTES];
      while (!Thread.currentThread().isInterrupted()) {
        byte[] peer = router.recv();
        router.recv();
        router.sendMore(peer);
        router.send(answer);
      }
    }
  }
}

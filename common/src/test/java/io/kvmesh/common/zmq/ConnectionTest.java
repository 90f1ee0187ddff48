package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that are slow, silent or cut. */
@Timeout(120)
class ConnectionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final SocketSettings QUICK_HEARTBEAT =
      SocketSettings.DEFAULT.withHeartbeat(Duration.ofMillis(50), Duration.ofMillis(150));

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allSocketsWereClosed() {
    assertThat(sockets.stats().ioFaults()).isZero();
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @Test
  void heartbeat_silentNetwork_bothSidesAreTold() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    MessageHandler client =
        new MessageHandler() {
          @Override
          public void onMessage(ZmqSocket socket, Multipart message) {
            answered.countDown();
          }

          @Override
          public void onConnectionLost(ZmqSocket socket) {
            lost.countDown();
          }
        };
    try (EchoServer server = new EchoServer(sockets, QUICK_HEARTBEAT);
        TcpProxy proxy = new TcpProxy(server.port(), Duration.ZERO);
        SocketLoop loop = new SocketLoop("client", sockets, 10)) {
      loop.start();
      ZmqSocket socket = loop.connect(SocketKind.DEALER, proxy.endpoint(), QUICK_HEARTBEAT, client);
      // A machine that stands still for longer than a heartbeat may take loses what was said.
      await()
          .until(
              () -> {
                loop.execute(() -> socket.send("hello".getBytes(UTF_8)));
                return answered.await(1, TimeUnit.SECONDS);
              });

      proxy.freeze();

      assertThat(server.gone().poll(10, TimeUnit.SECONDS)).isNotNull();
      assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void heartbeat_idleConnection_staysUp() throws Exception {
    try (EchoServer server = new EchoServer(sockets, QUICK_HEARTBEAT);
        ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint(), QUICK_HEARTBEAT)) {
      awaitAnswer(client);

      // The whole machine may stand still for longer than a heartbeat may take, but not always.
      await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                server.gone().clear();
                // Late answers may come first, if several questions were needed.
                return client.receive(Duration.ofMillis(800)) == null && server.gone().isEmpty();
              });

      awaitAnswer(client);
    }
  }

  /** What was queued for a connection that was cut off is lost with it, so it is said again. */
  private static void awaitAnswer(ZmqSocket client) {
    await()
        .pollInSameThread()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              client.send("hello".getBytes(UTF_8));
              return client.receive(Duration.ofSeconds(1)) != null;
            });
  }

  @Test
  void handshake_slowerThanItsInterval_succeedsWithALongerOne() throws Exception {
    SocketSettings hasty = SocketSettings.DEFAULT.withHandshakeInterval(Duration.ofMillis(40));
    try (EchoServer server = new EchoServer(sockets, SocketSettings.DEFAULT);
        TcpProxy slow = new TcpProxy(server.port(), Duration.ofMillis(250));
        ZmqSocket client = sockets.connect(SocketKind.DEALER, slow.endpoint(), hasty)) {
      client.send("patience".getBytes(UTF_8));

      // What was queued for a connection that was cut off is lost with it.
      Multipart answer = client.receive(Duration.ofMillis(900));
      while (answer == null) {
        client.send("again".getBytes(UTF_8));
        answer = client.receive(Duration.ofMillis(900));
      }
      assertThat(sockets.stats().handshakeCutOffs()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void handshake_neverAnswered_cutOffsBecomeRare() throws Exception {
    Duration first = Duration.ofMillis(20);
    SocketSettings hasty = SocketSettings.DEFAULT.withHandshakeInterval(first);
    long start = System.nanoTime();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ZmqSocket client =
            sockets.connect(SocketKind.DEALER, "tcp://127.0.0.1:" + silent.getLocalPort(), hasty)) {
      while (sockets.stats().handshakeCutOffs() < 5) {
        client.receive(Duration.ofMillis(100));
      }

      long cutOffs = sockets.stats().handshakeCutOffs();
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(took)
          .isGreaterThan(first.multipliedBy((1L << cutOffs) - 1).multipliedBy(9).dividedBy(10));
    }
  }
}

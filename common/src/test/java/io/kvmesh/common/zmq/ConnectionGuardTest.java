package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that show nothing, are too many, or send a message that has no end. */
@Timeout(60)
class ConnectionGuardTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SocketSettings SETTINGS =
      SocketSettings.DEFAULT.withHeartbeat(Duration.ofMillis(60), Duration.ofMillis(400));

  private final ZmqSockets sockets = new ZmqSockets(new ZmqSettings(1, 1 << 20, SETTINGS));
  private final List<Socket> raw = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket each : raw) {
      each.close();
    }
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  private Socket connect(EchoServer server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    raw.add(socket);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  /** Reads to the end; false if that doesn't come in time. */
  private static boolean isCut(Socket socket) {
    try {
      while (socket.getInputStream().read(new byte[4096]) >= 0) {
        // What the library says of itself.
      }
      return true;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private long cuts(ConnectionCut why) {
    return sockets.stats().cut(why);
  }

  private ZmqSocket client(EchoServer server) throws IOException {
    return sockets.connect(SocketKind.DEALER, server.endpoint(), SETTINGS);
  }

  private static @Nullable Multipart ask(ZmqSocket client) {
    client.send(Envelope.ofRequest(1).with("alive".getBytes(UTF_8)));
    return client.receive(PATIENCE);
  }

  @Test
  void whoGreetsAndIsSilentThen_isCutOffAfterAWhile() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS);
        ZmqSocket idle = client(server)) {
      Socket whole = connect(server);
      whole.getOutputStream().write(RawPeer.greeting());
      Socket oldest = connect(server);
      oldest.getOutputStream().write(HexFormat.of().parseHex("0100"));
      Socket half = connect(server);
      half.getOutputStream().write(RawPeer.greeting(), 0, 11);
      Socket nothing = connect(server);

      assertThat(List.of(whole, oldest, half, nothing)).allMatch(ConnectionGuardTest::isCut);

      assertThat(cuts(ConnectionCut.SILENT)).isEqualTo(2);
      await().untilAsserted(() -> assertThat(sockets.stats().connections()).isEqualTo(1));
      assertThat(idle.connections()).as("a peer that only answers pings").isEqualTo(1);
      assertThat(ask(idle)).isNotNull();
    }
  }

  @Test
  void moreConnectionsThanMayBe_theSilentGiveWay() throws Exception {
    SocketSettings few = SETTINGS.withMaxConnections(5);
    try (EchoServer server = new EchoServer(sockets, few);
        ZmqSocket proven = client(server)) {
      assertThat(ask(proven)).isNotNull();
      for (int i = 0; i < 40; i++) {
        connect(server).getOutputStream().write(RawPeer.greeting());
      }
      try (ZmqSocket late = client(server)) {
        assertThat(ask(late)).isNotNull();
        assertThat(ask(proven)).isNotNull();
        assertThat(proven.connections()).isEqualTo(1);
        assertThat(sockets.stats().connections()).isLessThanOrEqualTo(5);
        assertThat(cuts(ConnectionCut.CROWDED)).isBetween(36L, 37L);
      }
    }
  }

  @Test
  void moreProvenConnectionsThanMayBe_theNewOneIsCutOff() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS.withMaxConnections(1))) {
      try (ZmqSocket proven = client(server)) {
        assertThat(ask(proven)).isNotNull();

        assertThat(isCut(connect(server))).isTrue();

        assertThat(ask(proven)).isNotNull();
      }
      await().untilAsserted(() -> assertThat(sockets.stats().connections()).isZero());
      try (ZmqSocket next = client(server)) {
        assertThat(ask(next)).isNotNull();
      }
    }
  }

  @Test
  void withKeys_aPeerWhoAsksIsProven_othersGiveWay() throws Exception {
    byte[] secret = new byte[32];
    secret[0] = 1;
    SocketSettings keyed =
        SETTINGS.withKeys(Optional.of(CurveKeys.of(secret))).withMaxConnections(3);
    try (EchoServer server = new EchoServer(sockets, keyed);
        ZmqSocket friend = sockets.connect(SocketKind.DEALER, server.endpoint(), keyed)) {
      assertThat(ask(friend)).isNotNull();
      for (int i = 0; i < 20; i++) {
        connect(server);
      }
      await().untilAsserted(() -> assertThat(cuts(ConnectionCut.CROWDED)).isEqualTo(18));
      assertThat(ask(friend)).isNotNull();
      assertThat(friend.connections()).isEqualTo(1);
    }
  }

  /** Ten times more frames than a message may have, and pings between them. */
  @Test
  void messageWithoutEnd_costsItsSenderTheConnection() throws Exception {
    SocketSettings settings = SETTINGS.withMessages(10, 1 << 20, 100);
    try (EchoServer server = new EchoServer(sockets, settings);
        ZmqSocket other = client(server)) {
      Socket socket = connect(server);
      OutputStream out = socket.getOutputStream();
      RawPeer.shakeHands(socket, "DEALER");
      Thread sender =
          Thread.startVirtualThread(
              () -> {
                try {
                  for (int i = 0; i < 1000; i++) {
                    out.write(RawPeer.frame(true, new byte[] {1}));
                    out.write(HexFormat.of().parseHex("04070450494e470000"));
                  }
                } catch (IOException cut) {
                  assertThat(cut).isNotNull();
                }
              });
      assertThat(isCut(socket)).isTrue();
      sender.join();
      assertThat(cuts(ConnectionCut.ENDLESS)).isEqualTo(1);
      assertThat(ask(other)).isNotNull();
      assertThat(sockets.stats().ioFaults()).isZero();
    }
  }

  /** Each announces as much as it may: what they announce together isn't set aside. */
  @Test
  void framesThatAreAnnouncedAndDoNotCome_takeNoMoreThanTheBound() throws Exception {
    int each = 64 << 20;
    SocketSettings settings = SETTINGS.withMessages(10, each, 100);
    long bound = Math.max(each, Runtime.getRuntime().maxMemory() / 4);
    try (EchoServer server = new EchoServer(sockets, settings);
        ZmqSocket other = client(server)) {
      for (int i = 0; i < bound / each + 4; i++) {
        Socket liar = connect(server);
        RawPeer.shakeHands(liar, "DEALER");
        liar.getOutputStream().write(HexFormat.of().parseHex("020000000004000000"));
        liar.getOutputStream().write(1);
      }
      await().untilAsserted(() -> assertThat(sockets.stats().lostFrames()).isGreaterThan(2));
      assertThat(sockets.stats().receiveBufferBytes()).isZero();
      assertThat(ask(other)).isNotNull();
      assertThat(sockets.stats().ioFaults()).isZero();
    }
  }

  /** ZMQ-10. */
  @Test
  void manyWhoComeSendOneMessageAndVanish_leaveNothing() throws Exception {
    int many = 2000;
    try (EchoServer server = new EchoServer(sockets, SETTINGS);
        ZmqSocket other = client(server)) {
      for (int i = 0; i < many; i++) {
        try (Socket one = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
          RawPeer.shakeHands(one, "DEALER");
          one.getOutputStream().write(RawPeer.frame(false, new byte[] {1}));
          if (i % 2 == 0) {
            one.setSoLinger(true, 0);
          }
        }
      }
      assertThat(ask(other)).isNotNull();
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(sockets.stats().connections()).isEqualTo(1));
      assertThat(sockets.stats().cuts().values()).containsOnly(0L);
      assertThat(sockets.stats().ioFaults()).isZero();
    }
  }
}

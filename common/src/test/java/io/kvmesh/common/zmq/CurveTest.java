package io.kvmesh.common.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** Sockets with keys, and clients that have them, have others, or none. */
@Timeout(60)
class CurveTest {

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(700);
  private static final CurveKeys KEYS = CurveKeys.of(bytes(1));
  private static final SocketSettings WITH_KEYS =
      SocketSettings.DEFAULT.withKeys(Optional.of(KEYS));

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private ZmqSockets sockets;
  private SocketLoop loop;
  private ZmqSocket door;

  private static byte[] bytes(int value) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @BeforeEach
  void open() throws IOException {
    sockets = new ZmqSockets();
    loop = new SocketLoop("door", sockets, 16);
    loop.start();
    door = loop.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", WITH_KEYS, this::echo);
  }

  @AfterEach
  void close() {
    loop.close();
    assertThat(sockets.close(LONG)).as("all closed").isTrue();
  }

  private void echo(ZmqSocket socket, Multipart message) {
    heard.add(new String(message.frames().getLast().toArray(), StandardCharsets.UTF_8));
    socket.send(message.frames());
  }

  /** What comes back within a time; null if nothing does. */
  private @Nullable String ask(SocketSettings settings, Duration atMost) throws IOException {
    try (ZmqSocket client = sockets.connect(SocketKind.DEALER, door.endpoint(), settings)) {
      client.send("hello".getBytes(StandardCharsets.UTF_8));
      Multipart answer = client.receive(atMost);
      return answer == null
          ? null
          : new String(answer.frames().getLast().toArray(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void clientWithTheKey_isServed() throws IOException {
    assertThat(ask(WITH_KEYS, LONG)).isEqualTo("hello");
    assertThat(sockets.stats().refusedClients()).isZero();
  }

  @Test
  void manyClientsOneAfterTheOther_areServed() throws IOException {
    long begin = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      assertThat(ask(WITH_KEYS, LONG)).isEqualTo("hello");
    }
    System.out.printf(
        "CURVE: %d us from connect to reply%n", (System.nanoTime() - begin) / 1000 / 50);
  }

  @Test
  void clientWithoutAKey_getsNothing() throws IOException {
    assertThat(ask(SocketSettings.DEFAULT, SHORT)).isNull();
    assertThat(heard).isEmpty();
  }

  @Test
  void clientOfAnotherFleet_getsNothing() throws IOException {
    CurveKeys others = CurveKeys.of(bytes(2));
    assertThat(ask(SocketSettings.DEFAULT.withKeys(Optional.of(others)), SHORT)).isNull();
    assertThat(heard).isEmpty();
  }

  /**
   * It knows the public key of the fleet, but has made up a pair of its own. It stays until the
   * gate was asked about it: that comes after the handshake's arithmetic, which may take any time.
   */
  @Test
  void clientThatKnowsThePublicKeyAlone_isRefusedAndCounted() {
    try (ZContext context = new ZContext()) {
      ZMQ.Socket client = stranger(context);
      client.connect(door.endpoint());
      client.send("hello");
      await()
          .atMost(LONG)
          .untilAsserted(() -> assertThat(sockets.stats().refusedClients()).isPositive());
      client.setReceiveTimeOut((int) SHORT.toMillis());
      assertThat(client.recv()).isNull();
    }
    assertThat(heard).isEmpty();
  }

  /** The oldest protocol has no security; it must not be fallen back to. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "01 00", // ZMTP 1.0: a greeting with an empty identity
        "ff 00 00 00 00 00 00 00 01 7f 01 05 00 00", // 2.0
        "ff 00 00 00 00 00 00 00 01 7f 03 00 4e 55 4c 4c 00 00 00 00 00 00 00 00 00 00 00 00 00"
            + " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
            + " 00 00 00 00 00 00 00" // 3.0 with the mechanism NULL
      })
  void olderAndPlainProtocols_getNothing(String greeting) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.port())) {
      socket.setSoTimeout((int) SHORT.toMillis());
      OutputStream out = socket.getOutputStream();
      for (String hex : greeting.split(" +", -1)) {
        out.write(Integer.parseInt(hex, 16));
      }
      // A frame of those protocols, long form and short.
      out.write(new byte[] {1, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 6, 0, 'h', 'e', 'l', 'l', 'o'});
      out.flush();
      assertThat(loop.stats().received()).isZero();
      await().during(SHORT).atMost(LONG).untilAsserted(() -> assertThat(heard).isEmpty());
    } catch (IOException closed) {
      assertThat(heard).isEmpty();
    }
    assertThat(ask(WITH_KEYS, LONG)).as("the door lives on").isEqualTo("hello");
  }

  @Test
  void otherKindsOfSockets_areKeptTheSameWay() throws Exception {
    List<String> pulled = new CopyOnWriteArrayList<>();
    ZmqSocket pull =
        loop.bind(
            SocketKind.PULL,
            "tcp://127.0.0.1:0",
            WITH_KEYS,
            (socket, message) ->
                pulled.add(
                    new String(message.frames().getLast().toArray(), StandardCharsets.UTF_8)));
    try (ZmqSocket stranger =
            sockets.connect(SocketKind.PUSH, pull.endpoint(), SocketSettings.DEFAULT);
        ZmqSocket friend = sockets.connect(SocketKind.PUSH, pull.endpoint(), WITH_KEYS)) {
      stranger.send("stranger".getBytes(StandardCharsets.UTF_8));
      friend.send("friend".getBytes(StandardCharsets.UTF_8));
      await().untilAsserted(() -> assertThat(pulled).containsExactly("friend"));
      await().during(SHORT).untilAsserted(() -> assertThat(pulled).containsExactly("friend"));
    }
  }

  @Test
  void socketsWithOtherKeysInOneContext_areRefused() {
    SocketSettings other = SocketSettings.DEFAULT.withKeys(Optional.of(CurveKeys.of(bytes(3))));
    assertThatThrownBy(() -> sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", other))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The address at which the library asks for the gate is taken. */
  @Test
  void gateThatCantOpen_isNoGate_andTheNextSocketGetsOne() throws IOException {
    try (ZmqSockets others = new ZmqSockets()) {
      ZmqSocket inTheWay =
          others.bind(SocketKind.ROUTER, "inproc://zeromq.zap.01", SocketSettings.DEFAULT);
      assertThatThrownBy(() -> others.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", WITH_KEYS))
          .isInstanceOf(IOException.class);
      inTheWay.close();
      try (ZmqSocket kept = others.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", WITH_KEYS)) {
        assertThat(hearsStranger(kept)).isFalse();
      }
    }
  }

  @Test
  void gate_isClosedAfterTheSocketsThatItKeeps() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    loop.execute(() -> awaitQuietly(mayGoOn));
    try {
      assertThat(sockets.close(Duration.ofMillis(50))).as("all closed").isFalse();
      assertThat(sockets.stats().openSockets()).as("the door and its gate").isEqualTo(2);
    } finally {
      mayGoOn.countDown();
    }
    await().untilAsserted(() -> assertThat(sockets.stats().openSockets()).isZero());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a client comes through that has made up its own key. */
  private static boolean hearsStranger(ZmqSocket socket) {
    try (ZContext context = new ZContext()) {
      ZMQ.Socket client = stranger(context);
      client.connect(socket.endpoint());
      client.send("hello");
      return socket.receive(SHORT) != null;
    }
  }

  /** A client that knows the public key of the fleet, but has made up a pair of its own. */
  private static ZMQ.Socket stranger(ZContext context) {
    ZMQ.Curve.KeyPair own = ZMQ.Curve.generateKeyPair();
    ZMQ.Socket client = context.createSocket(SocketType.DEALER);
    client.setLinger(0);
    // The library may forget to begin a handshake; what comes after the next connection won't.
    client.setHandshakeIvl((int) SHORT.toMillis());
    client.setCurvePublicKey(own.publicKey.getBytes(ZMQ.CHARSET));
    client.setCurveSecretKey(own.secretKey.getBytes(ZMQ.CHARSET));
    client.setCurveServerKey(KEYS.publicKey());
    return client;
  }

  @Test
  void publicKey_isThatOfTheLibrary() {
    ZMQ.Curve.KeyPair pair = ZMQ.Curve.generateKeyPair();
    byte[] secret = ZMQ.Curve.z85Decode(pair.secretKey);
    assertThat(CurveKeys.of(secret).publicKey()).isEqualTo(ZMQ.Curve.z85Decode(pair.publicKey));
  }

  @Test
  void keyFile_holds32BytesAsBase64(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("key");
    Files.writeString(file, Base64.getEncoder().encodeToString(bytes(1)) + "\n");
    assertThat(CurveKeys.read(file).publicKey()).isEqualTo(KEYS.publicKey());
    assertThat(KEYS.toString()).isEqualTo("CurveKeys");
    for (String wrong : List.of("", "AAAA", "no base64!", "=".repeat(44))) {
      Files.writeString(file, wrong);
      assertThatThrownBy(() -> CurveKeys.read(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("32 bytes");
    }
    Files.delete(file);
    assertThatThrownBy(() -> CurveKeys.read(file)).isInstanceOf(IOException.class);
  }
}

package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZmqSocketTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final SocketSettings SETTINGS = SocketSettings.DEFAULT;

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allSocketsWereClosed() {
    assertThat(sockets.stats().ioFaults()).isZero();
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @Test
  void router_everyKindOfClient_answeredInItsEnvelope() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS);
        ZmqSocket req = sockets.connect(SocketKind.REQ, server.endpoint());
        ZmqSocket dealer = sockets.connect(SocketKind.DEALER, server.endpoint())) {
      req.send("req".getBytes(UTF_8));
      assertThat(texts(received(req))).containsExactly("req");
      for (List<String> message :
          List.of(
              List.of("bare"), List.of("", "delimited"), List.of("12345678", "", "ours", "body"))) {
        dealer.send(frames(message));
        assertThat(texts(received(dealer))).isEqualTo(message);
      }
    }
  }

  @Test
  void router_messageWithoutPayload_refusedAndLivesOn() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS);
        ZmqSocket dealer = sockets.connect(SocketKind.DEALER, server.endpoint())) {
      dealer.send(frames(List.of("")));
      dealer.send(frames(List.of("", "")));
      dealer.send(frames(List.of("", "payload", "")));
      dealer.send(frames(List.of("", "good")));

      assertThat(texts(received(dealer))).containsExactly("", "good");
      assertThat(server.refused()).hasSize(3);
      assertThat(server.refused().element()).contains("127.0.0.1:", "0 bytes");
    }
  }

  private static List<Frame> frames(List<String> texts) {
    return texts.stream().map(text -> Frame.of(text.getBytes(UTF_8))).toList();
  }

  private static List<String> texts(Multipart message) {
    return message.frames().stream().map(frame -> new String(frame.toArray(), UTF_8)).toList();
  }

  @Test
  void send_slicesOfNativeMemory_arriveExactlyAndInOrder() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (EchoServer server = new EchoServer(sockets, SETTINGS);
        ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint());
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4 << 20);
      for (long i = 0; i < memory.byteSize(); i += Long.BYTES) {
        memory.set(ValueLayout.JAVA_LONG, i, random.nextLong());
      }
      List<MemorySegment> slices = new ArrayList<>();
      List<Frame> body = new ArrayList<>();
      for (int size : new int[] {1 << 20, 5, 8192, 8191, 700_001, 1, 65_536}) {
        MemorySegment slice = memory.asSlice(random.nextInt(1 << 20), size);
        slices.add(slice);
        body.add(Frame.of(slice));
      }
      byte[] payload = {1, 2, 3};

      client.send(Envelope.ofRequest(7).with(payload, body));
      client.send(Envelope.ofRequest(8).with("after".getBytes(UTF_8)));

      Envelope.Content first = Envelope.split(received(client));
      assertThat(first.envelope().requestId()).as("seed %d", seed).hasValue(7);
      assertThat(first.payload()).isEqualTo(payload);
      assertThat(first.body()).hasSameSizeAs(slices);
      for (int i = 0; i < slices.size(); i++) {
        byte[] expected = slices.get(i).toArray(ValueLayout.JAVA_BYTE);
        assertThat(first.body().get(i).toArray())
            .as("slice %d, seed %d", i, seed)
            .isEqualTo(expected);
      }
      assertThat(Envelope.split(received(client)).payload()).isEqualTo("after".getBytes(UTF_8));
    }
  }

  @Test
  void receive_frameBeyondTheLimit_losesThatConnectionOnly() throws Exception {
    SocketSettings small = SETTINGS.withMessages(100, 1000, 10);
    try (EchoServer server = new EchoServer(sockets, small);
        ZmqSocket offender = sockets.connect(SocketKind.DEALER, server.endpoint());
        ZmqSocket other = sockets.connect(SocketKind.REQ, server.endpoint())) {
      offender.send("known".getBytes(UTF_8));
      received(offender);

      offender.send(new byte[1001]);

      assertThat(server.gone().poll(10, TimeUnit.SECONDS)).isNotNull();
      other.send("still there".getBytes(UTF_8));
      assertThat(payloadOf(other.receive(PATIENCE))).isEqualTo("still there".getBytes(UTF_8));
      offender.send("back".getBytes(UTF_8));
    }
  }

  @Test
  void receive_tooManyFrames_messageDroppedAndCounted() throws Exception {
    SocketSettings few = SETTINGS.withMessages(100, 1000, 10);
    try (EchoServer server = new EchoServer(sockets, few);
        ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
      List<Frame> frames = new ArrayList<>();
      for (int i = 0; i < 11; i++) {
        frames.add(Frame.of(new byte[] {1}));
      }
      client.send(frames);
      client.send("next".getBytes(UTF_8));

      assertThat(payloadOf(client.receive(PATIENCE))).isEqualTo("next".getBytes(UTF_8));
      assertThat(sockets.stats().refusedMessages()).isEqualTo(1);
    }
  }

  @Test
  void receive_strayBytesOnThePort_serverLivesOn() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS)) {
      long seed = System.nanoTime();
      Random random = new Random(seed);
      for (int i = 0; i < 20; i++) {
        byte[] garbage = new byte[random.nextInt(2000)];
        random.nextBytes(garbage);
        try (Socket raw = new Socket(InetAddress.getLoopbackAddress(), server.port());
            OutputStream out = raw.getOutputStream()) {
          out.write(garbage);
        } catch (IOException refusedMidway) {
          // The server may close first.
        }
      }
      try (ZmqSocket client = sockets.connect(SocketKind.REQ, server.endpoint())) {
        client.send("alive".getBytes(UTF_8));
        assertThat(payloadOf(client.receive(PATIENCE))).as("seed %d", seed).isNotNull();
      }
    }
  }

  @Test
  void router_peerCloses_goneAfterItsLastMessage() throws Exception {
    try (EchoServer server = new EchoServer(sockets, SETTINGS)) {
      try (ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
        client.send("one".getBytes(UTF_8));
        received(client);
        assertThat(server.gone()).isEmpty();
      }
      assertThat(server.gone().poll(10, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void dealer_serverCloses_connectionLostIsTold() throws Exception {
    EchoServer server = new EchoServer(sockets, SETTINGS);
    try (ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
      client.send("one".getBytes(UTF_8));
      received(client);
      int[] lost = {0};
      server.close();

      await()
          .pollInSameThread()
          .atMost(PATIENCE)
          .until(
              () -> {
                client.receive(
                    new MessageHandler() {
                      @Override
                      public void onMessage(ZmqSocket socket, Multipart message) {}

                      @Override
                      public void onConnectionLost(ZmqSocket socket) {
                        lost[0]++;
                      }
                    });
                return lost[0] == 1;
              });
    }
  }

  @Test
  void send_routerToUnknownPeer_unreachable() throws Exception {
    try (ZmqSocket router = sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0")) {
      List<Frame> message = List.of(Frame.of(new byte[] {9, 9}), Frame.of(new byte[] {1}));

      assertThat(router.send(message)).isEqualTo(SendOutcome.UNREACHABLE);
    }
  }

  @Test
  void send_queueFull_refusedWhole() throws Exception {
    SocketSettings tiny = SETTINGS.withMessages(3, 1000, 10);
    try (ServerSocket nobodyAnswers = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ZmqSocket client =
            sockets.connect(
                SocketKind.DEALER, "tcp://127.0.0.1:" + nobodyAnswers.getLocalPort(), tiny)) {
      List<SendOutcome> outcomes = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        outcomes.add(client.send(new byte[] {1}));
      }

      assertThat(outcomes.subList(0, 3)).containsOnly(SendOutcome.SENT);
      assertThat(outcomes.subList(3, 5)).containsOnly(SendOutcome.FULL);
    }
  }

  @Test
  void bind_portTaken_oneClearError() throws Exception {
    try (ZmqSocket first = sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0")) {
      assertThatThrownBy(() -> sockets.bind(SocketKind.ROUTER, first.endpoint()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(first.endpoint())
          .hasMessageContaining("in use");
    }
  }

  @Test
  void bindOrConnect_malformedEndpoint_refused() {
    for (String endpoint :
        List.of(
            "127.0.0.1:80", "tcp://nowhere", "tcp://127.0.0.1:x", "", "tcp://127.0.0.1:99999")) {
      assertThatThrownBy(() -> sockets.bind(SocketKind.PULL, endpoint))
          .as(endpoint)
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> sockets.connect(SocketKind.PUSH, endpoint))
          .as(endpoint)
          .isInstanceOf(IOException.class);
    }
    assertThat(sockets.stats().openSockets()).isZero();
  }

  @Test
  void bind_anyAddress_reachableOverIpv4AndIpv6() throws Exception {
    for (String any : List.of("tcp://0.0.0.0:0", "tcp://*:0", "tcp://[::]:0")) {
      for (String host : List.of("127.0.0.1", "[::1]", "localhost")) {
        if (any.contains("0.0.0.0") && host.equals("[::1]")) {
          continue;
        }
        try (ZmqSocket pull = sockets.bind(SocketKind.PULL, any);
            ZmqSocket push =
                sockets.connect(SocketKind.PUSH, "tcp://" + host + ":" + pull.port())) {
          push.send("hi".getBytes(UTF_8));
          assertThat(pull.receive(PATIENCE)).as("%s from %s", any, host).isNotNull();
        }
      }
    }
  }

  @Test
  void use_otherThread_refused() throws Exception {
    try (ZmqSocket socket = sockets.bind(SocketKind.PULL, "tcp://127.0.0.1:0")) {
      List<Throwable> thrown = new ArrayList<>();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      socket.receive((any, message) -> {});
                    } catch (IllegalStateException e) {
                      thrown.add(e);
                    }
                  });
      other.join();

      assertThat(thrown).hasSize(1);
    }
  }

  private static byte @Nullable [] payloadOf(@Nullable Multipart message) {
    return message == null ? null : message.frames().getLast().toArray();
  }

  private static Multipart received(ZmqSocket socket) {
    Multipart message = socket.receive(PATIENCE);
    assertThat(message).isNotNull();
    return message;
  }
}

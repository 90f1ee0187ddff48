package io.kvmesh.agent.transfer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that speak ZMTP byte by byte, and end in the middle of it, lie, or never read. */
@Timeout(120)
class HostileDoorsTest {

  private static final int CROWD = 300;

  /** A frame's flag. */
  private static final int COMMAND = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SocketSettings SETTINGS =
      SocketSettings.DEFAULT
          .withMessages(100, 1 << 20, 50)
          .withHeartbeat(Duration.ofSeconds(1), Duration.ofSeconds(2))
          .withMaxConnections(40);

  private final List<Socket> raw = new ArrayList<>();
  private final MessageCodec codec = new MessageCodec();
  private TestAgent owner;

  @BeforeEach
  void start() throws IOException {
    owner = TestAgent.named("owner").sockets(SETTINGS).start();
    owner.store(TestAgent.keys(1, 4));
    requireServed();
  }

  @AfterEach
  void nothingStays() throws IOException {
    requireServed();
    for (Socket each : raw) {
      each.close();
    }
    await().atMost(PATIENCE).until(() -> owner.sockets.stats().connections() <= 4);
    assertThat(owner.server.openLoans()).isZero();
    assertThat(owner.sockets.stats().ioFaults()).isZero();
    owner.requireSettled();
    owner.close();
  }

  /** At both doors, by an honest client. */
  private void requireServed() throws IOException {
    try (RawClient init = RawClient.dealer(owner.address());
        RawClient lookup = RawClient.req(owner.server.lookupAddress())) {
      init.ask(P2PInitSideRetMsg.class, new P2PInitSideMsg());
      lookup.ask(P2PErrorMsg.class, get());
    }
  }

  private static BatchedLookupAndGetMsg get() {
    return new BatchedLookupAndGetMsg("l", "10.1.2.3:8200", List.of("m@1@0@1@half"), List.of(0L));
  }

  private List<String> doors() {
    return List.of(owner.address(), owner.server.lookupAddress());
  }

  private Socket connect(String door) throws IOException {
    int port = Integer.parseInt(door.substring(door.lastIndexOf(':') + 1));
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    raw.add(socket);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static byte[] greeting() {
    byte[] greeting = new byte[64];
    greeting[0] = (byte) 0xff;
    greeting[9] = 0x7f;
    greeting[10] = 3;
    greeting[11] = 1;
    System.arraycopy("NULL".getBytes(US_ASCII), 0, greeting, 12, 4);
    return greeting;
  }

  private static byte[] ready() {
    return "\4\31\5READY\13Socket-Type\0\0\0\3REQ".getBytes(US_ASCII);
  }

  private static byte[] frame(boolean more, byte[] content) {
    return ByteBuffer.allocate(9 + content.length)
        .put((byte) (more ? 3 : 2))
        .putLong(content.length)
        .put(content)
        .array();
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] introduction() {
    return joined(greeting(), ready());
  }

  /** As a REQ does that waits for the other side, as it must before it sends anything. */
  private static void shakeHands(Socket socket) throws IOException {
    socket.getOutputStream().write(introduction());
    hearIntroduction(socket);
  }

  private static void hearIntroduction(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.skipNBytes(greeting().length + 1);
    in.skipNBytes(in.readUnsignedByte());
  }

  /** As a REQ sends it. */
  private byte[] request() {
    return joined(frame(true, new byte[0]), frame(false, codec.encode(get())));
  }

  private static boolean isCut(Socket socket) {
    try {
      while (socket.getInputStream().read(new byte[4096]) >= 0) {
        // What the library says of itself, and answers.
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void aByteAtATime_isAnsweredAsAtOnce() throws Exception {
    for (String door : doors()) {
      Socket socket = connect(door);
      for (byte each : introduction()) {
        socket.getOutputStream().write(each);
      }
      hearIntroduction(socket);
      for (byte each : request()) {
        socket.getOutputStream().write(each);
      }
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int flags = in.read();
      while ((flags & COMMAND) != 0) {
        in.skipNBytes(in.readUnsignedByte());
        flags = in.read();
      }
      assertThat(in.readUnsignedByte()).as("the delimiter comes back").isZero();
      in.skipNBytes(1);
      byte[] answer = in.readNBytes(in.readUnsignedByte());
      assertThat(codec.decode(P2PErrorMsg.class, answer).errorCode()).isPositive();
    }
  }

  @Test
  void whoEndsAfterAnyOfItsBytes_leavesNothing() throws Exception {
    byte[] all = joined(introduction(), request());
    for (String door : doors()) {
      for (int length = 1; length < all.length; length += 3) {
        try (Socket socket = connect(door)) {
          socket.getOutputStream().write(all, 0, length);
        }
      }
    }
    await().atMost(PATIENCE).until(() -> owner.sockets.stats().connections() <= 4);
  }

  @Test
  void whoIsSilentAfterAnyPartOfTheGreeting_isCutOff() throws Exception {
    byte[] all = introduction();
    for (String door : doors()) {
      for (int length : new int[] {0, 1, 10, 11, 63, 64, 70}) {
        connect(door).getOutputStream().write(all, 0, length);
      }
    }
    assertThat(raw).allMatch(HostileDoorsTest::isCut);
  }

  @Test
  void lengthsThatAreLies_costOnlyTheLiarItsConnection() throws Exception {
    for (String door : doors()) {
      for (long length : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 2 << 20}) {
        Socket socket = connect(door);
        shakeHands(socket);
        byte[] lie = ByteBuffer.allocate(9).put((byte) 2).putLong(length).array();
        socket.getOutputStream().write(joined(lie, new byte[100]));
        if (length > 0) {
          assertThat(isCut(socket)).as("%d bytes", length).isTrue();
        }
      }
    }
  }

  @Test
  void aMessageOfTooManyFrames_isDroppedAndCounted_oneWithoutEndEndsItsConnection()
      throws Exception {
    for (String door : doors()) {
      Socket socket = connect(door);
      shakeHands(socket);
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i < 60; i++) {
        out.write(frame(i < 59, new byte[] {1}));
      }
    }
    await().atMost(PATIENCE).until(() -> owner.sockets.stats().refusedMessages() == 2);
    for (String door : doors()) {
      Socket socket = connect(door);
      shakeHands(socket);
      Thread.startVirtualThread(() -> sendForEver(socket, frame(true, new byte[] {1})));
      assertThat(isCut(socket)).isTrue();
    }
  }

  private static void sendForEver(Socket socket, byte[] bytes) {
    try {
      while (!socket.isClosed()) {
        socket.getOutputStream().write(bytes);
      }
    } catch (IOException cut) {
      assertThat(cut).hasMessageNotContaining("timed out");
    }
  }

  /** What it doesn't read piles up to a bound, and goes with it. */
  @Test
  void whoNeverReadsItsReplies_isNoBurden() throws Exception {
    byte[] request = request();
    for (String door : doors()) {
      Socket socket = connect(door);
      socket.setReceiveBufferSize(4096);
      shakeHands(socket);
      Thread.startVirtualThread(() -> sendForEver(socket, request));
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                owner.served.get(ServerCount.REPLY_LOST) > 100
                    || owner.sockets.stats().connections() == 0);
  }

  @Test
  void aCrowdThatComesAndStays_isKeptWithinTheBound() throws Exception {
    for (String door : doors()) {
      for (int i = 0; i < CROWD; i++) {
        Socket socket = connect(door);
        if (i % 3 > 0) {
          socket.getOutputStream().write(i % 3 == 1 ? greeting() : introduction());
        }
      }
      requireServed();
    }
    assertThat(owner.sockets.stats().connections()).isLessThanOrEqualTo(2 * 40);
    requireServed();
  }
}

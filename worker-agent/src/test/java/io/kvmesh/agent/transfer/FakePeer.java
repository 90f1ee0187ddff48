package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.handshake.HandshakeRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.PeerRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An owner of chunks that does what a test tells it to, right or wrong. */
final class FakePeer implements AutoCloseable {

  static final long EPOCH = 7;
  static final int PAGE = 4096;
  private static final Duration REOPEN = Duration.ofMillis(50);

  /** A prefix that it always says it lacks, whatever the script. */
  static final List<ChunkKey> NOT_HELD = TestAgent.keys(99, 1);

  /** What it does with a request for chunks; the loop's thread. */
  @FunctionalInterface
  interface Script {
    void onGet(FakePeer peer, Envelope envelope, BatchedLookupAndGetMsg get);
  }

  final AtomicInteger handshakes = new AtomicInteger();

  /** Of its answers to handshakes. */
  final AtomicInteger format = new AtomicInteger(1);

  final AtomicInteger gets = new AtomicInteger();
  final List<Long> done = new CopyOnWriteArrayList<>();
  private final ZmqSockets sockets = new ZmqSockets();
  private final SocketLoop loop = new SocketLoop("fake-peer", sockets, 64);
  private final MessageCodec codec = new MessageCodec();
  private final Script script;
  private ZmqSocket lookup;
  private final ZmqSocket init;

  private FakePeer(boolean answersHandshakes, Script script) throws IOException {
    this.script = script;
    loop.start();
    // One that no other test takes while dropConnections has it closed.
    lookup = bindLookup("tcp://127.0.0.1:" + LoopbackPorts.free());
    init =
        loop.bind(
            SocketKind.ROUTER,
            "tcp://127.0.0.1:0",
            SocketSettings.DEFAULT,
            (socket, message) -> {
              if (answersHandshakes) {
                greet(socket, Frames.routed(message));
              }
            });
  }

  static FakePeer that(Script script) throws IOException {
    return new FakePeer(true, script);
  }

  static FakePeer thatIsSilentAtItsInitPort() throws IOException {
    return new FakePeer(false, (peer, envelope, get) -> {});
  }

  String address() {
    return "127.0.0.1:" + init.port();
  }

  private ZmqSocket bindLookup(String address) throws IOException {
    return loop.bind(
        SocketKind.ROUTER,
        address,
        SocketSettings.DEFAULT,
        (socket, message) -> take(Frames.routed(message)));
  }

  private void greet(ZmqSocket socket, Envelope.Content content) {
    HandshakeRequest request = decode(HandshakeRequest.class, content);
    Message reply = new P2PInitSideRetMsg("127.0.0.1:" + lookup.port());
    if (request instanceof KvmeshInitRequest) {
      handshakes.incrementAndGet();
      reply = new KvmeshInitResponse(format.get(), EPOCH, PAGE, Channels.ZMQ, null);
    }
    socket.send(content.envelope().with(codec.encode(reply)));
  }

  private void take(Envelope.Content content) {
    switch (decode(PeerRequest.class, content)) {
      case BatchedLookupAndGetMsg get
          when get.keys().isEmpty() || get.keys().equals(List.of(NOT_HELD.getFirst().toString())) ->
          reply(content.envelope(), right(get, 0), List.of());
      case BatchedLookupAndGetMsg get -> {
        gets.incrementAndGet();
        script.onGet(this, content.envelope(), get);
      }
      case BatchedGetDoneMsg ended -> done.add(ended.loanId());
      case PeerRequest other -> throw new IllegalStateException("got " + other);
    }
  }

  private <T extends Message> T decode(Class<T> family, Envelope.Content content) {
    try {
      return codec.decode(family, content.payload());
    } catch (WireFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends a reply; the loop's thread. */
  void reply(Envelope envelope, Message reply, List<Frame> bodies) {
    lookup.send(envelope.with(codec.encode(reply), bodies));
  }

  /** Sends a reply under an id that nobody asked with; the loop's thread. */
  void replyToOther(Envelope envelope, Message reply, List<Frame> bodies) {
    List<Frame> message = new ArrayList<>(envelope.with(codec.encode(reply), bodies));
    message.set(1, Frame.of(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    lookup.send(message);
  }

  /** Sends bytes; the loop's thread. */
  void replyWith(Envelope envelope, byte[] payload) {
    lookup.send(envelope.with(payload));
  }

  /** Does something on the loop's thread. */
  void later(Runnable action) {
    loop.execute(action);
  }

  /** Closes the lookup port, and with it all connections, and opens it again; the loop's thread. */
  void dropConnections() {
    String address = lookup.endpoint();
    loop.close(lookup);
    loop.after(REOPEN, () -> reopen(address));
  }

  /** Closes both ports for good, and with them all connections; the loop's thread. */
  void die() {
    loop.close(lookup);
    loop.close(init);
  }

  /** Sends the right answer for the first chunks of a request; the loop's thread. */
  void give(Envelope envelope, BatchedLookupAndGetMsg get, int chunks) {
    reply(envelope, right(get, chunks), bodies(get, chunks));
  }

  private void reopen(String address) {
    try {
      lookup = bindLookup(address);
    } catch (IOException e) {
      // The port is free once the library has ended the old listener.
      loop.after(REOPEN, () -> reopen(address));
    }
  }

  /** The right answer for the first chunks of a request, as loan 1. */
  static BatchedLookupAndGetRetMsg right(BatchedLookupAndGetMsg get, int chunks) {
    List<Integer> lengths = new ArrayList<>();
    List<Integer> tokens = new ArrayList<>();
    List<Long> checksums = new ArrayList<>();
    for (String key : get.keys().subList(0, chunks)) {
      lengths.add(PAGE);
      tokens.add(TestAgent.TOKENS);
      checksums.add(ChunkChecksum.of(MemorySegment.ofArray(body(key))));
    }
    @Nullable Long loan = chunks == 0 ? null : 1L;
    return new BatchedLookupAndGetRetMsg(chunks, EPOCH, loan, lengths, tokens, checksums);
  }

  /** The right bodies for the first chunks of a request. */
  static List<Frame> bodies(BatchedLookupAndGetMsg get, int chunks) {
    List<Frame> bodies = new ArrayList<>();
    get.keys().subList(0, chunks).forEach(key -> bodies.add(Frame.of(body(key))));
    return bodies;
  }

  /** An answer of one chunk, a part of a full one or more than that. */
  static BatchedLookupAndGetRetMsg sized(BatchedLookupAndGetMsg get, int bytes) {
    byte[] body = body(get.keys().getFirst(), bytes);
    return new BatchedLookupAndGetRetMsg(
        1,
        EPOCH,
        1L,
        List.of(bytes),
        List.of(TestAgent.TOKENS * bytes / PAGE),
        List.of(ChunkChecksum.of(MemorySegment.ofArray(body))));
  }

  static byte[] body(String key) {
    return body(key, PAGE);
  }

  static byte[] body(String key, int bytes) {
    byte[] body = new byte[bytes];
    TestAgent.fill(MemorySegment.ofArray(body), ChunkKey.parse(key));
    return body;
  }

  @Override
  public void close() {
    loop.close();
    sockets.close();
  }

  /** Takes messages apart that can't be broken. */
  private static final class Frames {
    static Envelope.Content routed(Multipart message) {
      try {
        return Envelope.splitRouted(message);
      } catch (EnvelopeException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

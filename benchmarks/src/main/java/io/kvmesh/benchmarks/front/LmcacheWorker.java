package io.kvmesh.benchmarks.front;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;

/**
 * A worker at a controller's sockets, as LMCache's is: a PUSH, a DEALER for requests and one for
 * heartbeats. Belongs to one thread, which never waits for it but in the registration.
 */
final class LmcacheWorker {

  private static final Duration REGISTRATION = Duration.ofSeconds(30);
  private static final String HOST = "127.0.0.1";
  private static final int FIRST_PORT = 20_000;
  private static final String LOCATION = "LocalCPUBackend";

  private final String instance;
  private final String peerInitUrl;
  private final int port;
  private final HeldKeys keys;
  private final MessageCodec codec;
  private final ZmqSocket push;
  private final ZmqSocket requests;
  private final ZmqSocket heartbeats;
  private final Queue<byte[]> unsent = new ArrayDeque<>();
  private final Queue<Answered> asked = new ArrayDeque<>();
  private final Queue<Answered> beaten = new ArrayDeque<>();
  private long sequence;

  /** What is done with a reply. */
  interface Answered {
    void on(DirectoryReply reply);
  }

  /** Connects and registers. */
  LmcacheWorker(
      int number, ZmqSockets sockets, MessageCodec codec, String pullAddress, String replyAddress)
      throws IOException, WireFormatException {
    this.instance = "instance-" + number;
    this.port = FIRST_PORT + number;
    this.peerInitUrl = HOST + ":" + (FIRST_PORT + 1000 + number);
    this.keys = new HeldKeys(number);
    this.codec = codec;
    this.push = sockets.connect(SocketKind.PUSH, pullAddress);
    this.requests = sockets.connect(SocketKind.DEALER, replyAddress);
    this.heartbeats = sockets.connect(SocketKind.DEALER, "tcp://" + register());
  }

  /** Where heartbeats go. */
  private String register() throws IOException, WireFormatException {
    send(requests, new RegisterMsg(instance, 0, HOST, port, peerInitUrl));
    Multipart answer = requests.receive(REGISTRATION);
    if (answer == null || !(decoded(answer) instanceof RegisterRetMsg(var config))) {
      throw new IOException(instance + " can't register");
    }
    return config.getOrDefault("heartbeat_url", "");
  }

  private DirectoryReply decoded(Multipart answer) throws WireFormatException {
    byte[] payload = answer.frames().getLast().toArray();
    answer.release();
    return codec.decode(DirectoryReply.class, payload);
  }

  private void send(ZmqSocket socket, DirectoryRequest request) throws IOException {
    SendOutcome sent = socket.send(List.of(Frame.of(new byte[0]), Frame.of(codec.encode(request))));
    if (sent != SendOutcome.SENT) {
      throw new IOException(instance + " can't ask: " + sent);
    }
  }

  String instance() {
    return instance;
  }

  HeldKeys keys() {
    return keys;
  }

  /** Pushes a batch; what the socket has no room for is sent later, see {@link #turn}. */
  void push(boolean admit, int start) {
    var operations = new KVOperations.Builder(HeldKeys.RUN);
    for (int key = start; key < start + HeldKeys.RUN; key++) {
      operations.add(admit, keys.hash(key), false, sequence++);
    }
    if (admit) {
      keys.admit(start);
    } else {
      keys.evict(start);
    }
    unsent.add(codec.encode(new BatchedKVOperationMsg(instance, 0, LOCATION, operations.build())));
    flush();
  }

  private void flush() {
    while (!unsent.isEmpty() && push.send(unsent.element()) == SendOutcome.SENT) {
      unsent.remove();
    }
  }

  /** Asks who else has the run of the other worker's keys. */
  void lookup(LmcacheWorker other, int start, Answered answered) throws IOException {
    List<ChunkHash> hashes =
        IntStream.range(start, start + HeldKeys.RUN)
            .mapToObj(key -> ChunkHash.ofUnsigned(other.keys.hash(key)))
            .toList();
    send(requests, new BatchedP2PLookupMsg(hashes, instance, 0));
    asked.add(answered);
  }

  void heartbeat(Answered answered) throws IOException {
    send(heartbeats, new HeartbeatMsg(instance, 0, HOST, port, peerInitUrl));
    beaten.add(answered);
  }

  /** Sends what is left over and takes the replies that are there; whether there was any. */
  boolean turn() {
    flush();
    boolean answered = receive(requests, asked);
    return receive(heartbeats, beaten) || answered;
  }

  /** The controller answers each socket's requests in their order. */
  private boolean receive(ZmqSocket socket, Queue<Answered> waiting) {
    boolean any = false;
    while (!waiting.isEmpty() && socket.receive(new Reply(waiting))) {
      any = true;
    }
    return any;
  }

  private final class Reply implements MessageHandler {

    private final Queue<Answered> waiting;

    Reply(Queue<Answered> waiting) {
      this.waiting = waiting;
    }

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      try {
        DirectoryReply reply = decoded(message);
        waiting.remove().on(reply);
      } catch (WireFormatException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void onConnectionLost(ZmqSocket socket) {
      throw new IllegalStateException(instance + " has lost its connection");
    }
  }

  /** Whether nothing is left to be sent and every question is answered. */
  boolean isIdle() {
    return unsent.isEmpty() && asked.isEmpty() && beaten.isEmpty();
  }

  /** What {@link #isIdle} waits for. */
  String left() {
    return "%d batches unsent, %d lookups and %d heartbeats unanswered"
        .formatted(unsent.size(), asked.size(), beaten.size());
  }

  /** Closes the sockets. */
  void close() {
    push.close();
    requests.close();
    heartbeats.close();
  }
}

package io.kvmesh.quickstart;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncBatchMsg;
import io.kvmesh.common.wire.directory.FullSyncEndMsg;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStartRetMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * An LMCache worker that is full and has nothing to do but to send heartbeats, and to list what it
 * holds when it is asked to: by LMCache's rules for a full sync, but for the random delay before
 * it, so that all begin at once. Belongs to one thread, which never waits for it.
 */
final class SyncingWorker {

  static final int KEYS = 20_000;

  private static final int BATCH = 2_000;
  private static final int BATCHES = KEYS / BATCH;
  private static final long BETWEEN_BEATS = TimeUnit.SECONDS.toNanos(5);
  private static final long BETWEEN_BATCHES = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long BETWEEN_POLLS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
  private static final String HOST = "127.0.0.1";
  private static final int FIRST_PORT = 20_000;
  private static final String LOCATION = "LocalCPUBackend";

  private final int number;
  private final String instance;
  private final MessageCodec codec = new MessageCodec();
  private final ZmqSocket push;
  private final ZmqSocket requests;
  private final ZmqSocket heartbeats;
  private final Queue<DirectoryMessage> unsent = new ArrayDeque<>();
  private Stage stage = Stage.AT_REST;
  private int syncs;
  private int refused;
  private int errors;
  private int beats;
  private int answeredBeats;
  private final Set<String> reasons = new TreeSet<>();
  private long nextBeat;
  private long next;
  private long since;

  private enum Stage {
    AT_REST,
    STARTING,
    LISTING,
    POLLING
  }

  /** Where a controller listens, each host:port. */
  record Doors(String pull, String reply, String heartbeat) {}

  SyncingWorker(int number, ZmqSockets sockets, Doors doors, long now) throws IOException {
    this.number = number;
    this.instance = instance(number);
    this.push = sockets.connect(SocketKind.PUSH, "tcp://" + doors.pull);
    this.requests = sockets.connect(SocketKind.DEALER, "tcp://" + doors.reply);
    this.heartbeats = sockets.connect(SocketKind.DEALER, "tcp://" + doors.heartbeat);
    this.nextBeat = now;
  }

  static String instance(int number) {
    return "worker-" + number;
  }

  /** A key of a worker: a bijection of its number that looks random (SplitMix64). */
  static ChunkHash key(int worker, int key) {
    long z = ((long) worker * KEYS + key + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return ChunkHash.ofUnsigned(z ^ (z >>> 31));
  }

  /** Does what is due. */
  void turn(long now) throws IOException, WireFormatException {
    receive(heartbeats, now);
    receive(requests, now);
    if (now - nextBeat >= 0) {
      nextBeat = now + BETWEEN_BEATS;
      beats++;
      ask(heartbeats, new HeartbeatMsg(instance, 0, HOST, FIRST_PORT + number, peerInitUrl()));
    }
    switch (stage) {
      case AT_REST -> {}
      case STARTING -> giveUpAfter(now);
      case LISTING -> list(now);
      case POLLING -> poll(now);
    }
  }

  private String peerInitUrl() {
    return HOST + ":" + (FIRST_PORT + 1_000 + number);
  }

  private void giveUpAfter(long now) {
    if (now - since > PATIENCE) {
      stage = Stage.AT_REST;
    }
  }

  private void list(long now) {
    if (now - next < 0) {
      return;
    }
    DirectoryMessage message = unsent.peek();
    if (message == null) {
      stage = Stage.POLLING;
      next = now + BETWEEN_POLLS;
    } else if (push.send(codec.encode(message)) == SendOutcome.SENT) {
      unsent.remove();
      next = now + BETWEEN_BATCHES;
    }
  }

  private void poll(long now) throws IOException {
    if (now - next >= 0) {
      next = now + BETWEEN_POLLS;
      ask(requests, new FullSyncStatusMsg(instance, 0, syncId()));
    }
    giveUpAfter(now);
  }

  private void ask(ZmqSocket socket, DirectoryMessage question) throws IOException {
    SendOutcome sent =
        socket.send(List.of(Frame.of(new byte[0]), Frame.of(codec.encode(question))));
    if (sent != SendOutcome.SENT) {
      throw new IOException(instance + " can't ask: " + sent);
    }
  }

  private void receive(ZmqSocket socket, long now) throws IOException, WireFormatException {
    Queue<Multipart> replies = new ArrayDeque<>();
    while (socket.receive((from, message) -> replies.add(message))) {
      // until there is none
    }
    for (Multipart reply : replies) {
      byte[] payload = reply.frames().getLast().toArray();
      reply.release();
      on(codec.decode(DirectoryReply.class, payload), now);
    }
  }

  private void on(DirectoryReply reply, long now) throws IOException {
    switch (reply) {
      case HeartbeatRetMsg beat -> onHeartbeat(beat, now);
      case FullSyncStartRetMsg start when start.syncId().equals(syncId()) -> onStart(start, now);
      case FullSyncStatusRetMsg status when status.syncId().equals(syncId()) ->
          onStatus(status, now);
      case ErrorMsg error -> errors++;
      default -> {
        // of a sync that was given up
      }
    }
  }

  private void onHeartbeat(HeartbeatRetMsg beat, long now) throws IOException {
    answeredBeats++;
    if (stage == Stage.AT_REST && !beat.commands().isEmpty()) {
      beat.commands().forEach(command -> reasons.add(command.toString()));
      stage = Stage.STARTING;
      since = now;
      syncs++;
      ask(requests, new FullSyncStartMsg(instance, 0, LOCATION, syncId(), KEYS, BATCHES));
    }
  }

  private String syncId() {
    return instance + "_0_" + syncs;
  }

  private void onStart(FullSyncStartRetMsg start, long now) {
    if (!start.accepted()) {
      refused++;
      stage = Stage.AT_REST;
      return;
    }
    unsent.clear();
    send(IntStream.range(0, BATCHES).boxed().toList(), now);
  }

  private void send(List<Integer> batches, long now) {
    for (int batch : batches) {
      List<ChunkHash> keys =
          IntStream.range(batch * BATCH, (batch + 1) * BATCH)
              .mapToObj(key -> key(number, key))
              .toList();
      unsent.add(new FullSyncBatchMsg(instance, 0, LOCATION, syncId(), batch, keys));
    }
    unsent.add(new FullSyncEndMsg(instance, 0, LOCATION, syncId(), KEYS));
    stage = Stage.LISTING;
    next = now;
  }

  private void onStatus(FullSyncStatusRetMsg status, long now) {
    if (stage != Stage.POLLING) {
      return;
    }
    if (status.canExitFreeze()) {
      stage = Stage.AT_REST;
    } else if (!status.missingBatches().isEmpty()) {
      send(status.missingBatches(), now);
    }
  }

  boolean isAtRest() {
    return stage == Stage.AT_REST;
  }

  /** What it has met since it began. */
  Counts counts() {
    return new Counts(syncs, refused, errors, beats, answeredBeats, Set.copyOf(reasons));
  }

  /**
   * What workers have met.
   *
   * @param syncs full syncs begun
   * @param refused of them that the controller refused
   * @param errors questions that were answered by an error
   * @param beats heartbeats sent
   * @param answered of them
   * @param asked commands that began full syncs
   */
  record Counts(int syncs, int refused, int errors, int beats, int answered, Set<String> asked) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, Set.of());

    Counts plus(Counts more) {
      Set<String> all = new TreeSet<>(asked);
      all.addAll(more.asked);
      return new Counts(
          syncs + more.syncs,
          refused + more.refused,
          errors + more.errors,
          beats + more.beats,
          answered + more.answered,
          all);
    }
  }

  void close() {
    push.close();
    requests.close();
    heartbeats.close();
  }
}

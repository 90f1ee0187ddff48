package io.kvmesh.benchmarks.front;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The workers, and the mix of what they say. A message is drawn anew each time: 35 % admits, 29 %
 * evicts, 1 % heartbeats, 35 % lookups. So of the keys that may be held 35 of 64 are in the long
 * run, which is where it begins. Belongs to one thread.
 */
final class Population implements AutoCloseable {

  static final int WORKERS = 50;

  /** Keys of a hundred messages in the mean, divided by a hundred; a heartbeat has none. */
  static final double KEYS_A_MESSAGE = 0.99 * HeldKeys.RUN;

  /** Admits and evicts among them. */
  static final double CHANGES_A_MESSAGE = 0.64 * HeldKeys.RUN;

  private static final int ADMITS = 35;
  private static final int EVICTS = 29;
  private static final int HEARTBEATS = 1;
  private static final int PERCENT = 100;
  private static final int HELD_AT_FIRST = HeldKeys.SLICE * ADMITS / (ADMITS + EVICTS);
  private static final long PAUSE_NANOS = 100_000;

  private final List<LmcacheWorker> workers = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private volatile long changes;
  private int beating;
  private int wanted;

  /** What is done when a lookup is answered. */
  interface LookedUp {

    /**
     * @param found whether the answer is what the generator knows
     */
    void answered(boolean found);
  }

  /** Connects and registers the workers. */
  Population(ZmqSockets sockets, ControllerEnd controller) throws IOException, WireFormatException {
    MessageCodec codec = new MessageCodec();
    try {
      for (int i = 0; i < WORKERS; i++) {
        workers.add(
            new LmcacheWorker(
                i, sockets, codec, controller.pullAddress(), controller.replyAddress()));
      }
    } catch (IOException | WireFormatException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Pushes until every worker has its share; gives way while the sockets have no room. */
  void fill() {
    for (LmcacheWorker worker : workers) {
      while (worker.keys().count() < HELD_AT_FIRST) {
        change(worker, true);
        awaitRoom(worker);
      }
    }
  }

  private static void awaitRoom(LmcacheWorker worker) {
    while (!worker.isIdle()) {
      if (!worker.turn()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Pushes so many batches in the mix's proportion, as fast as the sockets take them. */
  void burst(int batches) {
    for (int i = 0; i < batches; i++) {
      LmcacheWorker worker = any();
      change(worker, random.nextInt(ADMITS + EVICTS) < ADMITS);
      awaitRoom(worker);
    }
  }

  /** One message of the mix. */
  void say(LookedUp lookedUp) throws IOException {
    int drawn = random.nextInt(PERCENT);
    if (drawn < ADMITS + EVICTS) {
      change(any(), drawn < ADMITS);
    } else if (drawn < ADMITS + EVICTS + HEARTBEATS) {
      workers.get(beating++ % WORKERS).heartbeat(this::onHeartbeat);
    } else {
      lookup(lookedUp);
    }
  }

  // The generator's thread alone writes it.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  private void change(LmcacheWorker worker, boolean admit) {
    worker.push(admit, start());
    changes += HeldKeys.RUN;
  }

  /** A worker asks for a run of another's keys. */
  void lookup(LookedUp lookedUp) throws IOException {
    int asker = random.nextInt(WORKERS);
    LmcacheWorker other = workers.get((asker + 1 + random.nextInt(WORKERS - 1)) % WORKERS);
    int start = start();
    workers
        .get(asker)
        .lookup(
            other,
            start,
            reply -> lookedUp.answered(isOf(reply, other.instance(), other.keys().prefix(start))));
  }

  private static boolean isOf(DirectoryReply reply, String instance, int prefix) {
    if (!(reply instanceof BatchedP2PLookupRetMsg found) || found.layoutInfo().size() != 1) {
      throw new IllegalStateException("A lookup was answered by " + reply);
    }
    PeerLayout layout = found.layoutInfo().getFirst();
    return prefix == 0
        ? layout.equals(PeerLayout.MISS)
        : layout.instanceId().equals(instance) && layout.numHitChunks() == prefix;
  }

  private void onHeartbeat(DirectoryReply reply) {
    if (!(reply instanceof HeartbeatRetMsg heartbeat)) {
      throw new IllegalStateException("A heartbeat was answered by " + reply);
    }
    wanted += heartbeat.commands().size();
  }

  private LmcacheWorker any() {
    return workers.get(random.nextInt(WORKERS));
  }

  private int start() {
    return random.nextInt(HeldKeys.SLICE - HeldKeys.RUN + 1);
  }

  /** Sends what is left over and takes the replies; whether there was any. */
  boolean turn() {
    boolean any = false;
    for (LmcacheWorker worker : workers) {
      any |= worker.turn();
    }
    return any;
  }

  boolean isIdle() {
    return workers.stream().allMatch(LmcacheWorker::isIdle);
  }

  /** Of each worker that isn't idle, what it waits for. */
  String left() {
    return workers.stream()
        .filter(worker -> !worker.isIdle())
        .map(worker -> worker.instance() + ": " + worker.left())
        .collect(Collectors.joining("; "));
  }

  /** Admits and evicts that the workers have said, or have yet to send. Any thread. */
  long changes() {
    return changes;
  }

  /** Keys that the workers hold. */
  int held() {
    return workers.stream().mapToInt(worker -> worker.keys().count()).sum();
  }

  /** Full syncs that the controller has asked for: each means that it knows of a loss. */
  int wantedSyncs() {
    return wanted;
  }

  @Override
  public void close() {
    workers.forEach(LmcacheWorker::close);
  }
}

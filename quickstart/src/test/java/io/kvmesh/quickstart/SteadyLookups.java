package io.kvmesh.quickstart;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.quickstart.replay.Latency;
import io.kvmesh.quickstart.replay.LatencyRecorder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a hundred neighbouring keys of a random {@link SyncingWorker}, at fixed times whatever
 * became of the questions before. A question's time is from when it was due to its answer.
 */
final class SteadyLookups {

  static final int KEYS = 100;

  private static final long BETWEEN = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(30);

  private final int workers;
  private final ZmqSockets sockets = new ZmqSockets();
  private final MessageCodec codec = new MessageCodec();
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final Queue<Long> due = new ArrayDeque<>();
  private final SplittableRandom random = new SplittableRandom(10);
  private final FutureTask<Latency> task;
  private volatile boolean stopped;

  private SteadyLookups(int workers, String reply) {
    this.workers = workers;
    this.task = new FutureTask<>(() -> run(reply));
  }

  /**
   * @param reply host:port where a controller answers
   */
  static SteadyLookups start(int workers, String reply) {
    SteadyLookups started = new SteadyLookups(workers, reply);
    Thread.ofPlatform().daemon().name("lookups").start(started.task);
    return started;
  }

  private Latency run(String reply) throws IOException, WireFormatException {
    try (ZmqSocket socket = sockets.connect(SocketKind.DEALER, "tcp://" + reply)) {
      long next = System.nanoTime();
      while (!stopped) {
        for (; System.nanoTime() - next >= 0; next += BETWEEN) {
          ask(socket);
          due.add(next);
        }
        answer(socket.receive(PAUSE));
      }
      long end = System.nanoTime() + LAST_ANSWERS.toNanos();
      while (!due.isEmpty()) {
        if (System.nanoTime() - end > 0) {
          throw new IOException(due.size() + " lookups were not answered");
        }
        answer(socket.receive(PAUSE));
      }
    }
    return latencies.summary();
  }

  private void ask(ZmqSocket socket) throws IOException {
    int worker = random.nextInt(workers);
    int first = random.nextInt(SyncingWorker.KEYS - KEYS + 1);
    List<ChunkHash> keys =
        IntStream.range(first, first + KEYS)
            .mapToObj(key -> SyncingWorker.key(worker, key))
            .toList();
    byte[] question = codec.encode(new BatchedP2PLookupMsg(keys, "asker", 0));
    SendOutcome sent = socket.send(List.of(Frame.of(new byte[0]), Frame.of(question)));
    if (sent != SendOutcome.SENT) {
      throw new IOException("Can't ask: " + sent);
    }
  }

  /** A socket's questions are answered in their order. */
  private void answer(@Nullable Multipart message) throws IOException, WireFormatException {
    if (message == null) {
      return;
    }
    latencies.record(System.nanoTime() - due.remove());
    byte[] payload = message.frames().getLast().toArray();
    message.release();
    DirectoryReply reply = codec.decode(DirectoryReply.class, payload);
    if (!(reply instanceof BatchedP2PLookupRetMsg)) {
      throw new IOException("A lookup was answered by " + reply);
    }
  }

  /** Ends it when all are answered; how long they took. */
  Latency stop() throws InterruptedException, ExecutionException {
    stopped = true;
    try {
      return task.get();
    } finally {
      sockets.close();
    }
  }
}

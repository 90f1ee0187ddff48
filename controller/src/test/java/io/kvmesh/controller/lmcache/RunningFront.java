package io.kvmesh.controller.lmcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A front at real sockets, over a log, a view and an index that the test has in its hands. */
final class RunningFront implements AutoCloseable {

  private static final String ANY_PORT = "tcp://127.0.0.1:0";
  private static final Duration CLOSED = Duration.ofSeconds(20);

  final MessageCodec codec = new MessageCodec();
  final FakeLog log = new FakeLog();
  final WorkerRegistry registry = new WorkerRegistry();
  final NaiveIndex index = new NaiveIndex();
  final FakeView view = new FakeView();
  final FrontCounts counts = new FrontCounts();

  /** What is asked of the barrier; answered by the test alone. */
  final List<CompletableFuture<Barrier.Answer>> barriers = new CopyOnWriteArrayList<>();

  private final ZmqSockets sockets = new ZmqSockets();
  private final SocketSettings settings;
  private final DirectoryFront front;

  private RunningFront(SocketSettings settings, int maxHeld, int maxInFlight) {
    this.settings = settings;
    this.front =
        new DirectoryFront(
            new FrontSettings(
                ANY_PORT,
                ANY_PORT,
                ANY_PORT,
                "",
                settings,
                Duration.ofSeconds(5),
                maxHeld,
                maxInFlight,
                Duration.ofSeconds(5),
                3,
                Duration.ofSeconds(1)),
            sockets,
            new ReadyLookup(view::ready, new PrefixLookup(index, registry)),
            new DrainLookup(view::ready, index, registry),
            this::barrier,
            view,
            registry,
            (worker, announcement) -> CompletableFuture.completedFuture(false),
            log,
            Traces.off(),
            counts);
  }

  /**
   * Opens the sockets, all of which behave so, those that a test connects too.
   *
   * @param maxHeld messages that may wait for the view
   * @param maxInFlight requests that may wait
   */
  static RunningFront start(SocketSettings settings, int maxHeld, int maxInFlight)
      throws IOException {
    RunningFront started = new RunningFront(settings, maxHeld, maxInFlight);
    started.front.start();
    return started;
  }

  private CompletableFuture<Barrier.Answer> barrier(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    CompletableFuture<Barrier.Answer> answer = new CompletableFuture<>();
    barriers.add(answer);
    return answer;
  }

  String replyAddress() {
    return address(front.replyPort());
  }

  /** A socket of the calling thread that asks at the ROUTER for all requests. */
  ZmqSocket connectReply(SocketKind kind) throws IOException {
    return sockets.connect(kind, replyAddress(), settings);
  }

  /** The same at the ROUTER for heartbeats. */
  ZmqSocket connectHeartbeat() throws IOException {
    return sockets.connect(SocketKind.DEALER, address(front.heartbeatPort()), settings);
  }

  /** A PUSH of the calling thread. */
  ZmqSocket connectPull() throws IOException {
    return sockets.connect(SocketKind.PUSH, address(front.pullPort()), settings);
  }

  private static String address(int port) {
    return "tcp://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    front.close();
    assertThat(sockets.close(CLOSED)).isTrue();
  }
}

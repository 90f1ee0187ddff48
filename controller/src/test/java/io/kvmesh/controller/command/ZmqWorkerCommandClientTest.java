package io.kvmesh.controller.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ZmqWorkerCommandClientTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final ClearWorkerMsg CLEAR = new ClearWorkerMsg("e", "LocalCPUBackend");

  private final MessageCodec codec = new MessageCodec();
  private final ZmqSockets sockets = new ZmqSockets();
  private final ZmqWorkerCommandClient client =
      new ZmqWorkerCommandClient(sockets, SocketSettings.DEFAULT);

  @BeforeEach
  void start() {
    client.start();
  }

  @AfterEach
  void close() {
    client.close();
    assertThat(sockets.close(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void plainRepWorker_replies() throws Exception {
    try (ZmqSocket worker = sockets.bind(SocketKind.REP, "tcp://127.0.0.1:0")) {
      var outcome = client.send("127.0.0.1", worker.port(), CLEAR, LONG);

      Multipart request = worker.receive(LONG);
      assertThat(request).isNotNull();
      assertThat(codec.decode(ControlRequest.class, request.frames().getLast().toArray()))
          .isEqualTo(CLEAR);
      worker.send(codec.encode(new ClearWorkerRetMsg(512)));

      assertThat(outcome.get()).isEqualTo(new CommandOutcome.Replied(new ClearWorkerRetMsg(512)));
    }
    await().atMost(LONG).until(() -> sockets.stats().openSockets() == 0);
  }

  @Test
  void garbledReply_isToldFromSilence() throws Exception {
    try (ZmqSocket worker = sockets.bind(SocketKind.REP, "tcp://127.0.0.1:0")) {
      var outcome = client.send("127.0.0.1", worker.port(), CLEAR, LONG);
      worker.receive(LONG);
      worker.send(new byte[] {(byte) 0xc1});

      assertThat(outcome.get()).isInstanceOf(CommandOutcome.Undecodable.class);
    }
  }

  @Test
  void replyToAnotherRequest_isNotTaken() throws Exception {
    try (ZmqSocket worker = sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0")) {
      var outcome = client.send("127.0.0.1", worker.port(), CLEAR, LONG);
      Multipart request = worker.receive(LONG);
      assertThat(request).isNotNull();
      Frame peer = request.frames().getFirst();
      Frame reply = Frame.of(codec.encode(new ClearWorkerRetMsg(1)));
      worker.send(List.of(peer, Frame.of(new byte[8]), Frame.EMPTY, reply));
      Frame right = Frame.of(codec.encode(new ClearWorkerRetMsg(2)));
      worker.send(List.of(peer, request.frames().get(1), Frame.EMPTY, right));

      assertThat(outcome.get()).isEqualTo(new CommandOutcome.Replied(new ClearWorkerRetMsg(2)));
    }
  }

  @Test
  void nobodyThere_timesOutAndLeavesNoSocket() throws Exception {
    int port = LoopbackPorts.free();
    List<CompletableFuture<CommandOutcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      outcomes.add(client.send("127.0.0.1", port, CLEAR, Duration.ofMillis(300)));
    }

    for (CompletableFuture<CommandOutcome> outcome : outcomes) {
      assertThat(outcome.get())
          .isEqualTo(new CommandOutcome.Unreachable("no connection within 300 ms"));
    }
    await().atMost(LONG).until(() -> sockets.stats().openSockets() == 0);
  }

  @Test
  void workerThatDies_failsAtOnce() throws Exception {
    ZmqSocket worker = sockets.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0");
    var outcome = client.send("127.0.0.1", worker.port(), CLEAR, LONG);
    assertThat(worker.receive(LONG)).isNotNull();
    worker.close();

    assertThat(outcome.get()).isInstanceOf(CommandOutcome.Unreachable.class);
  }

  @Test
  void addressThatIsNone_isNotSent() throws Exception {
    assertThat(client.send("no such host", 1, CLEAR, LONG).get())
        .isInstanceOf(CommandOutcome.Unreachable.class);
    assertThat(client.send("127.0.0.1", 70_000, CLEAR, LONG).get())
        .isInstanceOf(CommandOutcome.Unreachable.class);
    assertThat(client.send("127.0.0.1", -1, CLEAR, LONG).get())
        .isInstanceOf(CommandOutcome.Unreachable.class);
  }

  @Test
  void tooManyAtATime_areRefused() {
    List<CompletableFuture<CommandOutcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      outcomes.add(client.send("127.0.0.1", 1, CLEAR, Duration.ofSeconds(2)));
    }

    assertThat(outcomes).filteredOn(CompletableFuture::isDone).hasSizeGreaterThanOrEqualTo(44);
    outcomes.forEach(CompletableFuture::join);
    assertThat(client.send("127.0.0.1", 1, CLEAR, Duration.ofMillis(1)).join())
        .isInstanceOf(CommandOutcome.Unreachable.class);
  }

  @Test
  void workerThatIsSilent_timesOut() throws Exception {
    try (ZmqSocket worker = sockets.bind(SocketKind.REP, "tcp://127.0.0.1:0")) {
      var outcome = client.send("127.0.0.1", worker.port(), CLEAR, Duration.ofSeconds(5));
      assertThat(worker.receive(LONG)).isNotNull();

      assertThat(outcome.get()).isEqualTo(new CommandOutcome.TimedOut());
    }
  }

  @Test
  void everyTenthReplyLost_costsThatOneAndNoSocket() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (SocketLoop loop = new SocketLoop("lossy", sockets, 10)) {
      loop.start();
      ZmqSocket worker =
          loop.bind(
              SocketKind.ROUTER,
              "tcp://127.0.0.1:0",
              SocketSettings.DEFAULT,
              (socket, message) -> {
                if (asked.incrementAndGet() % 10 != 0) {
                  List<Frame> frames = new ArrayList<>(message.frames());
                  frames.set(frames.size() - 1, Frame.of(codec.encode(new ClearWorkerRetMsg(1))));
                  socket.send(frames);
                }
              });
      int commands = 300;
      Semaphore inFlight = new Semaphore(50);
      AtomicInteger replied = new AtomicInteger();
      for (int i = 0; i < commands; i++) {
        inFlight.acquire();
        var unused =
            client
                .send("127.0.0.1", worker.port(), CLEAR, Duration.ofSeconds(3))
                .thenAccept(
                    outcome -> {
                      replied.addAndGet(outcome instanceof CommandOutcome.Replied ? 1 : 0);
                      inFlight.release();
                    });
      }
      inFlight.acquire(50);

      assertThat(replied.get()).isBetween(commands / 2, commands * 9 / 10);
      await().atMost(LONG).until(() -> sockets.stats().openSockets() == 1);
    }
  }

  @Test
  void clientThatWasIdleForLong_stillSends() throws Exception {
    try (ZmqSocket worker = sockets.bind(SocketKind.REP, "tcp://127.0.0.1:0")) {
      var first = client.send("127.0.0.1", worker.port(), CLEAR, LONG);
      assertThat(worker.receive(LONG)).isNotNull();
      worker.send(codec.encode(new ClearWorkerRetMsg(1)));
      assertThat(first.get()).isEqualTo(new CommandOutcome.Replied(new ClearWorkerRetMsg(1)));
      new CompletableFuture<Void>().completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
      var outcome = client.send("127.0.0.1", worker.port(), CLEAR, LONG);
      assertThat(worker.receive(LONG)).isNotNull();
      worker.send(codec.encode(new ClearWorkerRetMsg(2)));

      assertThat(outcome.get()).isEqualTo(new CommandOutcome.Replied(new ClearWorkerRetMsg(2)));
    }
  }
}

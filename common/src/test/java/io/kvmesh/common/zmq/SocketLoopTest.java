package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SocketLoopTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final SocketSettings SETTINGS = SocketSettings.DEFAULT;
  private static final String ANY_PORT = "tcp://127.0.0.1:0";

  private final ZmqSockets sockets = new ZmqSockets();

  @AfterEach
  void allSocketsWereClosed() {
    assertThat(sockets.stats().openSockets()).isZero();
    assertThat(sockets.close(PATIENCE)).isTrue();
  }

  @Test
  void execute_fromManyThreads_allRunInOrderOfEach() throws Exception {
    int threads = 4;
    int tasks = 5000;
    List<List<Integer>> seen = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(threads * tasks);
    try (SocketLoop loop = new SocketLoop("loop", sockets, threads * tasks)) {
      loop.start();
      for (int t = 0; t < threads; t++) {
        List<Integer> mine = new ArrayList<>();
        seen.add(mine);
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < tasks; i++) {
                    int number = i;
                    loop.execute(
                        () -> {
                          mine.add(number);
                          done.countDown();
                        });
                  }
                });
      }
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(seen).allSatisfy(list -> assertThat(list).hasSize(tasks).isSorted());
    }
  }

  @Test
  void execute_queueFull_refusedAndCounted() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (SocketLoop loop = new SocketLoop("loop", sockets, 2)) {
      loop.start();
      loop.execute(
          () -> {
            busy.countDown();
            waitFor(go);
          });
      assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(loop.execute(() -> {})).isTrue();
      assertThat(loop.execute(() -> {})).isTrue();
      assertThat(loop.execute(() -> {})).isFalse();
      assertThat(loop.stats().refusedTasks()).isEqualTo(1);
      assertThat(loop.stats().queuedTasks()).isEqualTo(2);
      go.countDown();
    }
  }

  @Test
  void execute_idleLoop_wakesItEachTime() throws Exception {
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.start();
      for (int i = 0; i < 500; i++) {
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        assertThat(ran.await(10, TimeUnit.SECONDS)).as("round %d", i).isTrue();
      }
    }
  }

  @Test
  void execute_rightAfterRings_wakesItEachTime() throws Exception {
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10);
        ExecutorService others = Executors.newSingleThreadExecutor()) {
      loop.start();
      ZmqSocket server =
          loop.bind(
              SocketKind.ROUTER,
              ANY_PORT,
              SETTINGS,
              (socket, message) ->
                  others.execute(() -> loop.execute(() -> socket.send(message.frames()))));
      try (ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
        for (int i = 0; i < 5000; i++) {
          client.send("x".getBytes(UTF_8));
          assertThat(client.receive(PATIENCE)).as("round %d", i).isNotNull();
        }
      }
    }
  }

  @Test
  void execute_peersComeAndGo_ringsWithoutMessagesDelayNothing() throws Exception {
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.start();
      ZmqSocket server = loop.bind(SocketKind.ROUTER, ANY_PORT, SETTINGS, (any, message) -> {});
      for (int i = 0; i < 200; i++) {
        ZmqSocket silent = sockets.connect(SocketKind.DEALER, server.endpoint());
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        assertThat(ran.await(10, TimeUnit.SECONDS)).as("round %d", i).isTrue();
        silent.close();
      }
    }
  }

  @Test
  void handler_throws_loopGoesOn() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    MessageHandler failing =
        (socket, message) -> {
          if (calls.incrementAndGet() <= 3) {
            throw new IllegalStateException("on purpose");
          }
          socket.send(message.frames());
        };
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.start();
      loop.execute(
          () -> {
            throw new IllegalStateException("task, on purpose");
          });
      ZmqSocket server = loop.bind(SocketKind.ROUTER, ANY_PORT, SETTINGS, failing);
      try (ZmqSocket client = sockets.connect(SocketKind.DEALER, server.endpoint())) {
        for (int i = 0; i < 4; i++) {
          client.send("x".getBytes(UTF_8));
        }
        assertThat(client.receive(PATIENCE)).isNotNull();
      }
      assertThat(loop.stats().failures()).isEqualTo(4);
    }
  }

  @Test
  void pause_messagesWaitAndOthersAreServed_resumeTakesThemInOrder() throws Exception {
    List<Byte> seen = new CopyOnWriteArrayList<>();
    MessageHandler echo = (socket, message) -> socket.send(message.frames());
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.start();
      ZmqSocket pull =
          loop.bind(
              SocketKind.PULL,
              ANY_PORT,
              SETTINGS,
              (socket, message) -> {
                seen.add(message.frames().getFirst().toArray()[0]);
                loop.pause(socket);
              });
      ZmqSocket router = loop.bind(SocketKind.ROUTER, ANY_PORT, SETTINGS, echo);
      try (ZmqSocket push = sockets.connect(SocketKind.PUSH, pull.endpoint());
          ZmqSocket client = sockets.connect(SocketKind.DEALER, router.endpoint())) {
        for (byte i = 0; i < 3; i++) {
          push.send(new byte[] {i});
        }
        for (int round = 1; round <= 3; round++) {
          int expected = round;
          await().atMost(PATIENCE).until(() -> seen.size() == expected);
          client.send("x".getBytes(UTF_8));
          assertThat(client.receive(PATIENCE)).isNotNull();
          assertThat(seen).hasSize(expected);
          loop.execute(() -> loop.resume(pull));
        }
      }
    }
    assertThat(seen).containsExactly((byte) 0, (byte) 1, (byte) 2);
  }

  @Test
  void timers_periodicOnceAndCancelled_actAsTold() throws Exception {
    CountDownLatch three = new CountDownLatch(3);
    CountDownLatch once = new CountDownLatch(1);
    AtomicBoolean never = new AtomicBoolean();
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.every(Duration.ofMillis(5), three::countDown);
      LoopTimer cancelled = loop.after(Duration.ofMillis(1), () -> never.set(true));
      cancelled.cancel();
      loop.start();
      loop.execute(() -> loop.after(Duration.ofMillis(30), once::countDown));

      assertThat(three.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(once.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(never).isFalse();
    }
  }

  @Test
  void close_underLoad_withinItsBound() throws Exception {
    for (int round = 0; round < 10; round++) {
      EchoServer server = new EchoServer(sockets, SETTINGS);
      AtomicBoolean stop = new AtomicBoolean();
      List<Thread> clients = new ArrayList<>();
      CountDownLatch flowing = new CountDownLatch(2);
      for (int c = 0; c < 2; c++) {
        clients.add(Thread.ofPlatform().start(() -> flood(server.endpoint(), flowing, stop)));
      }
      assertThat(flowing.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(server.loop().close(PATIENCE)).isTrue();

      stop.set(true);
      for (Thread client : clients) {
        client.join();
      }
      assertThat(server.loop().execute(() -> {})).isFalse();
    }
  }

  private void flood(String endpoint, CountDownLatch flowing, AtomicBoolean stop) {
    try (ZmqSocket client = sockets.connect(SocketKind.DEALER, endpoint)) {
      while (!stop.get()) {
        client.send(new byte[1000]);
        if (client.receive((socket, message) -> {})) {
          flowing.countDown();
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void close_handlerStuck_saysSoInTime() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    SocketLoop loop = new SocketLoop("loop", sockets, 10);
    loop.start();
    loop.execute(
        () -> {
          stuck.countDown();
          waitFor(free);
        });
    assertThat(stuck.await(10, TimeUnit.SECONDS)).isTrue();

    assertThat(loop.close(Duration.ofMillis(50))).isFalse();

    free.countDown();
    assertThat(loop.close(PATIENCE)).isTrue();
    assertThat(loop.close(PATIENCE)).isTrue();
  }

  @Test
  void close_acceptedTasks_stillRun() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    SocketLoop loop = new SocketLoop("loop", sockets, 100);
    loop.start();
    int accepted = 0;
    for (int i = 0; i < 100; i++) {
      accepted += loop.execute(ran::incrementAndGet) ? 1 : 0;
    }

    assertThat(loop.close(PATIENCE)).isTrue();

    assertThat(ran).hasValue(accepted);
  }

  @Test
  void bind_portTaken_toldToTheCaller() throws Exception {
    try (SocketLoop loop = new SocketLoop("loop", sockets, 10)) {
      loop.start();
      ZmqSocket first = loop.bind(SocketKind.PULL, ANY_PORT, SETTINGS, (any, message) -> {});

      assertThatThrownBy(
              () -> loop.bind(SocketKind.PULL, first.endpoint(), SETTINGS, (any, message) -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use");
      loop.execute(() -> loop.close(first));
    }
  }

  @Test
  void bind_loopNotStartedOrClosed_refused() {
    SocketLoop loop = new SocketLoop("loop", sockets, 10);
    loop.start();
    loop.close();

    assertThatThrownBy(() -> loop.bind(SocketKind.PULL, ANY_PORT, SETTINGS, (any, message) -> {}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void socketsClose_socketStillOpen_saysSoInTime() throws Exception {
    ZmqSockets own = new ZmqSockets();
    ZmqSocket socket = own.bind(SocketKind.PULL, ANY_PORT);

    assertThat(own.close(Duration.ofMillis(100))).isFalse();

    socket.close();
    assertThatThrownBy(() -> own.bind(SocketKind.PULL, ANY_PORT))
        .isInstanceOf(IllegalStateException.class);
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

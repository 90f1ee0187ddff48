package io.kvmesh.common.zmq;

import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that owns sockets: it hands what they receive to handlers, and runs timers and the tasks
 * of other threads. Nothing in it may wait. A handler, task or timer that throws is counted and
 * logged (once a while), and the loop goes on.
 */
public final class SocketLoop implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);

  private static final int MESSAGES_A_TURN = 64;
  private static final Duration WATCH = Duration.ofSeconds(1);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final String name;
  private final ZmqSockets sockets;
  private final boolean outlivesOthers;
  private final BlockingQueue<Runnable> tasks;
  private final SocketWait idle;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final LongAdder received = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder refusedTasks = new LongAdder();
  private final LogLimit failureLog = new LogLimit(System::nanoTime);
  private volatile boolean closing;

  // The loop's thread alone.
  private final LoopTimers timers = new LoopTimers();
  private final List<Registration> registrations = new ArrayList<>();
  private Registration[] served = {};
  private boolean rung;

  /** A socket, whose messages its handler gets while it isn't paused. */
  private static final class Registration {

    private final ZmqSocket socket;
    private final MessageHandler handler;
    private boolean paused;

    Registration(ZmqSocket socket, MessageHandler handler) {
      this.socket = socket;
      this.handler = handler;
    }
  }

  /**
   * A loop with a bounded queue for the tasks of other threads.
   *
   * @param name of the thread
   */
  public SocketLoop(String name, ZmqSockets sockets, int maxQueuedTasks) {
    this(name, sockets, maxQueuedTasks, false);
  }

  private SocketLoop(String name, ZmqSockets sockets, int maxQueuedTasks, boolean outlivesOthers) {
    this.name = name;
    this.sockets = sockets;
    this.outlivesOthers = outlivesOthers;
    this.tasks = new ArrayBlockingQueue<>(maxQueuedTasks);
    try {
      this.idle = new SocketWait();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::loop);
  }

  /**
   * A loop whose sockets stay open until it is closed, even where all are told to end; they are
   * deaf then.
   */
  static SocketLoop thatOutlivesOthers(String name, ZmqSockets sockets) {
    return new SocketLoop(name, sockets, 1, true);
  }

  /** Starts the thread. Once. */
  public void start() {
    thread.start();
  }

  /**
   * Binds a socket of this loop. Any thread once started; waits for the loop.
   *
   * @throws IOException if the endpoint is malformed or taken
   */
  public ZmqSocket bind(
      SocketKind kind, String endpoint, SocketSettings settings, MessageHandler handler)
      throws IOException {
    return open(() -> watched(sockets.bind(kind, endpoint, settings)), handler);
  }

  private ZmqSocket watched(ZmqSocket socket) {
    every(WATCH, socket::watchConnections);
    return socket;
  }

  /**
   * Connects a socket of this loop. Any thread once started; waits for the loop.
   *
   * @throws IOException if the endpoint is malformed or can't be resolved
   */
  public ZmqSocket connect(
      SocketKind kind, String endpoint, SocketSettings settings, MessageHandler handler)
      throws IOException {
    return open(() -> sockets.connect(kind, endpoint, settings), handler);
  }

  private ZmqSocket open(Callable<ZmqSocket> opener, MessageHandler handler) throws IOException {
    return call(
        () -> {
          ZmqSocket socket = opener.call();
          idle.add(socket);
          registrations.add(new Registration(socket, handler));
          served = registrations.toArray(Registration[]::new);
          return socket;
        });
  }

  /** Closes a socket of this loop; what isn't sent yet is dropped. Owner thread; idempotent. */
  public void close(ZmqSocket socket) {
    idle.remove(socket);
    socket.close();
    registrations.removeIf(registration -> registration.socket == socket);
    served = registrations.toArray(Registration[]::new);
  }

  /**
   * Leaves a socket's messages where they are until {@link #resume}: beyond its high-water mark the
   * peers have to wait. Owner thread; idempotent.
   */
  public void pause(ZmqSocket socket) {
    setPaused(socket, true);
  }

  /** Takes a socket's messages again. Owner thread; idempotent. */
  public void resume(ZmqSocket socket) {
    setPaused(socket, false);
  }

  private void setPaused(ZmqSocket socket, boolean paused) {
    // Nobody takes the rings of a paused socket: they would end every wait.
    idle.hear(socket, !paused);
    for (Registration registration : served) {
      if (registration.socket == socket) {
        registration.paused = paused;
      }
    }
  }

  /**
   * Runs a task on the loop's thread, in the order of the calls. Any thread.
   *
   * @return false if it is refused, which is counted: the queue is full or the loop closes
   */
  public boolean execute(Runnable task) {
    boolean accepted = !closing && tasks.offer(task);
    if (accepted && closing) {
      // The loop may have looked for its last tasks before this one came.
      accepted = !tasks.remove(task);
    }
    if (accepted) {
      idle.end();
    } else {
      refusedTasks.increment();
    }
    return accepted;
  }

  /** Like {@link #execute}, but at once if the caller is the loop's thread. */
  public boolean run(Runnable task) {
    if (!isOwner()) {
      return execute(task);
    }
    task.run();
    return true;
  }

  /** Acts once, after a time. Owner thread, or before the start. */
  public LoopTimer after(Duration delay, Runnable action) {
    return addTimer(action, delay.toNanos(), 0);
  }

  /** Acts again and again. Owner thread, or before the start. */
  public LoopTimer every(Duration period, Runnable action) {
    return addTimer(action, period.toNanos(), period.toNanos());
  }

  private LoopTimer addTimer(Runnable action, long delayNanos, long periodNanos) {
    if (!isOwner() && thread.getState() != Thread.State.NEW) {
      throw new IllegalStateException("Timers of loop " + name + " belong to its thread");
    }
    return timers.add(action, System.nanoTime() + delayNanos, periodNanos);
  }

  /** Whether the caller is the loop's thread. */
  public boolean isOwner() {
    return Thread.currentThread() == thread;
  }

  /** The counters. */
  public LoopStats stats() {
    return new LoopStats(received.sum(), failures.sum(), refusedTasks.sum(), tasks.size());
  }

  /** Closes with a bound of 5 s. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Takes no more messages and tasks, runs the tasks that were accepted, closes the sockets and
   * ends the thread. Any thread; idempotent.
   *
   * @return false if a handler or task still runs after this time
   */
  public boolean close(Duration timeout) {
    closing = true;
    idle.end();
    if (isOwner()) {
      return true;
    }
    if (thread.getState() == Thread.State.NEW) {
      idle.close();
      return true;
    }
    try {
      if (ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    LOG.warn("Loop {} not closed within {}", name, timeout);
    return false;
  }

  private <T> T call(Callable<T> action) throws IOException {
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable task =
        () -> {
          try {
            result.complete(action.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        };
    if (!run(task)) {
      throw new IOException("Loop " + name + " takes no more tasks");
    }
    return await(result);
  }

  private <T> T await(CompletableFuture<T> result) throws IOException {
    try {
      return result.get(CALL_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause() == null ? e.getMessage() : e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException("Loop " + name + " doesn't answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for loop " + name, e);
    }
  }

  private void loop() {
    try (idle) {
      while (!closing) {
        turn();
      }
      runTasks(tasks.size());
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("Loop {} ended by a fault", name, e);
    } finally {
      closing = true;
      registrations.forEach(registration -> registration.socket.close());
      ended.countDown();
    }
  }

  /** Waits only if no socket had a message: a handler may take away another socket's ring. */
  private void turn() throws IOException {
    // A task may have left the flag behind; it would make waiting spin and close channels.
    Thread.interrupted();
    runTasks(tasks.size());
    timers.runDue(System.nanoTime(), this::guarded);
    if (receiveAll()) {
      rung = false;
      return;
    }
    // Here, since asking a socket may have taken the ring that says so.
    if (sockets.isClosed()) {
      onSocketsClosed();
    }
    if (rung) {
      // What came meanwhile, or was executed, may lose its ring by this: the next turn looks.
      idle.takeRings();
      rung = false;
      return;
    }
    rung = !closing && idle.forRing(timeoutMillis());
  }

  private void onSocketsClosed() {
    if (outlivesOthers) {
      // They are deaf now, and would ring for ever.
      registrations.forEach(registration -> idle.remove(registration.socket));
      return;
    }
    LOG.warn("Loop {} ends: the sockets were closed before it", name);
    closing = true;
  }

  private long timeoutMillis() {
    long nanos = timers.nanosToNext(System.nanoTime());
    return nanos == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
  }

  private void runTasks(int count) {
    for (int i = 0; i < count; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      guarded(task);
    }
  }

  private boolean receiveAll() {
    boolean any = false;
    for (Registration registration : served) {
      any |= receive(registration);
    }
    return any;
  }

  private boolean receive(Registration registration) {
    for (int i = 0; i < MESSAGES_A_TURN && !closing && !registration.socket.isClosed(); i++) {
      if (registration.paused || !receiveOne(registration)) {
        return i > 0;
      }
      received.increment();
    }
    return true;
  }

  private boolean receiveOne(Registration registration) {
    try {
      return registration.socket.receive(registration.handler);
    } catch (RuntimeException | Error e) {
      onFailure(e);
      return true;
    }
  }

  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      onFailure(e);
    }
  }

  private void onFailure(Throwable failure) {
    failures.increment();
    if (failureLog.permits()) {
      LOG.error("A handler of loop {} failed; {} failures so far", name, failures.sum(), failure);
    }
  }
}

package io.kvmesh.controller.command;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.UrlHost;
import io.kvmesh.common.zmq.ZmqSockets;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A DEALER of its own for each command, so a worker that doesn't answer holds up nobody and a late
 * reply reaches nobody. The number of commands at a time is bounded. Names are resolved on a thread
 * that may wait, never on the sockets' thread.
 */
public final class ZmqWorkerCommandClient implements WorkerCommandClient, AutoCloseable {

  private static final int MAX_QUEUED_TASKS = 1000;

  /** Commands at a time; more are not sent. */
  static final int MAX_AT_A_TIME = 256;

  private final SocketLoop loop;
  private final SocketSettings settings;
  private final MessageCodec codec = new MessageCodec();
  private final Semaphore free = new Semaphore(MAX_AT_A_TIME);
  private final AtomicLong lastRequestId = new AtomicLong();

  /** Assigns only; see {@link #start}. */
  public ZmqWorkerCommandClient(ZmqSockets sockets, SocketSettings settings) {
    this.loop = new SocketLoop("command", sockets, MAX_QUEUED_TASKS);
    this.settings = settings;
  }

  /** Starts the sockets' thread; connects to nobody. */
  public void start() {
    loop.start();
  }

  @Override
  public CompletableFuture<CommandOutcome> send(
      String ip, int port, ControlRequest request, Duration timeout) {
    if (!free.tryAcquire()) {
      return CompletableFuture.completedFuture(
          new CommandOutcome.NotSent("too many commands at a time"));
    }
    byte[] payload = codec.encode(request);
    var exchange =
        new CommandExchange(loop, settings, codec, lastRequestId.incrementAndGet(), payload);
    Thread.ofVirtual().name("resolve-" + ip).start(() -> connect(exchange, ip, port));
    return exchange.outcome(timeout).whenComplete((outcome, failure) -> free.release());
  }

  private void connect(CommandExchange exchange, String ip, int port) {
    try {
      String host = UrlHost.of(InetAddress.getByName(ip).getHostAddress());
      if (!loop.execute(() -> exchange.start("tcp://" + host + ":" + port))) {
        exchange.end(new CommandOutcome.NotSent("too many commands at a time"));
      }
    } catch (UnknownHostException e) {
      exchange.end(new CommandOutcome.Unreachable("the worker's address '" + ip + "' is unknown"));
    }
  }

  /** Ends the thread and its sockets; commands under way time out. */
  public void close(Duration timeout) {
    loop.close(timeout);
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}

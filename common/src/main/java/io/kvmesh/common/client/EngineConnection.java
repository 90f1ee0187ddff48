package io.kvmesh.common.client;

import io.kvmesh.common.client.EngineClientException.Reason;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the agent, many requests at once, so many at most. One thread owns the socket; any thread
 * may ask, and waits. Nobody has to wait for what is only told.
 *
 * <p>An answer for which nobody waits any more may have left something with the agent: that is
 * taken back.
 */
final class EngineConnection implements AutoCloseable {

  /** An answer and the frames behind it, to be released once. */
  record Answer(EngineReply reply, List<Frame> bodies) {

    void release() {
      bodies.forEach(Frame::release);
    }
  }

  private sealed interface Result {
    record Came(Answer answer) implements Result {}

    record Failed(Reason reason, String text) implements Result {}
  }

  /** Of what is told: its answer is of no interest. */
  private static final long TOLD = 0;

  private static final int SPARE_TASKS = 1024;

  /** So many releases and cancels wait for an agent that takes none. */
  private static final int MOST_TO_TELL = 65_536;

  private static final Duration TELL_AGAIN = Duration.ofMillis(50);

  private final SocketLoop loop;
  private final MessageCodec codec = new MessageCodec();
  private final Function<EngineReply, Optional<EngineRequest>> undo;
  private final Function<Long, EngineRequest> cancel;
  private final Semaphore mayAsk;
  private final AtomicLong lastId = new AtomicLong(TOLD);
  private final Queue<EngineRequest> toTell = new ArrayBlockingQueue<>(MOST_TO_TELL);
  private final LongAdder untold = new LongAdder();
  private final LongAdder unreadable = new LongAdder();
  private final String name;

  // The loop's thread alone.
  private final Map<Long, CompletableFuture<Result>> inFlight = new HashMap<>();
  private @Nullable ZmqSocket socket;

  /**
   * Assigns only.
   *
   * @param undo what takes back what an answer left with the agent
   * @param cancel what ends the request of this id
   */
  EngineConnection(
      ZmqSockets sockets,
      EngineClientSettings settings,
      Function<EngineReply, Optional<EngineRequest>> undo,
      Function<Long, EngineRequest> cancel) {
    this.name = settings.agent();
    this.loop = new SocketLoop("engine-client", sockets, settings.maxInFlight() + SPARE_TASKS);
    this.undo = undo;
    this.cancel = cancel;
    this.mayAsk = new Semaphore(settings.maxInFlight());
  }

  /**
   * Connects, now or once the agent is there.
   *
   * @throws IOException if the endpoint is malformed or can't be resolved; nothing runs then
   */
  void start(EngineClientSettings settings) throws IOException {
    loop.every(TELL_AGAIN, this::tellAll);
    loop.start();
    try {
      ZmqSocket connected =
          loop.connect(SocketKind.DEALER, settings.endpoint(), settings.sockets(), new Replies());
      loop.execute(() -> socket = connected);
    } catch (IOException e) {
      loop.close();
      throw e;
    }
  }

  private final class Replies implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket from, Multipart message) {
      boolean taken = false;
      try {
        taken = take(Envelope.split(message));
      } catch (EnvelopeException e) {
        unreadable.increment();
      } finally {
        if (!taken) {
          message.release();
        }
      }
    }

    @Override
    public void onConnectionLost(ZmqSocket lost) {
      fail(Reason.CONNECTION_LOST, "the connection to " + name + " was lost");
    }
  }

  /** Waits for the answer. */
  Answer ask(EngineRequest request, List<Frame> bodies, Duration atMost)
      throws EngineClientException, InterruptedException {
    if (!mayAsk.tryAcquire()) {
      throw new EngineClientException(
          Reason.OVERLOADED, "too many requests to " + name + " are in flight");
    }
    long id = lastId.incrementAndGet();
    CompletableFuture<Result> asked = new CompletableFuture<>();
    byte[] payload = codec.encode(request);
    if (!loop.execute(() -> send(id, asked, payload, bodies))) {
      mayAsk.release();
      throw new EngineClientException(Reason.CLOSED, "the client of " + name + " is closed");
    }
    return switch (await(id, asked, atMost)) {
      case Result.Came came -> came.answer();
      case Result.Failed failed -> throw new EngineClientException(failed.reason(), failed.text());
    };
  }

  private Result await(long id, CompletableFuture<Result> asked, Duration atMost)
      throws EngineClientException, InterruptedException {
    try {
      return asked.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      giveUp(id, asked);
      throw new EngineClientException(Reason.TIMED_OUT, late(atMost));
    } catch (InterruptedException e) {
      giveUp(id, asked);
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("It is never completed so", e);
    }
  }

  private String late(Duration atMost) {
    String late = "%s didn't answer within %d ms".formatted(name, atMost.toMillis());
    long unread = unreadable();
    return unread == 0 ? late : late + "; so far " + unread + " of its messages were unreadable";
  }

  /**
   * Says something whose answer is of no interest. Never waits. What finds no room is counted and
   * never said: the agent frees what it would have freed when its lease runs out or the session
   * ends.
   */
  void tell(EngineRequest request) {
    if (!toTell.offer(request)) {
      untold.increment();
    }
    // If it is refused the timer does so.
    boolean unused = loop.execute(this::tellAll);
  }

  long untold() {
    return untold.sum();
  }

  /** Messages that answer no request: without a request id, or without a payload. */
  long unreadable() {
    return unreadable.sum();
  }

  private void tellAll() {
    EngineRequest next = toTell.peek();
    while (next != null && sent(TOLD, codec.encode(next), List.of())) {
      toTell.remove();
      next = toTell.peek();
    }
  }

  private boolean sent(long id, byte[] payload, List<Frame> bodies) {
    return socket != null
        && socket.send(Envelope.ofRequest(id).with(payload, bodies)) == SendOutcome.SENT;
  }

  private void send(long id, CompletableFuture<Result> asked, byte[] payload, List<Frame> bodies) {
    if (sent(id, payload, bodies)) {
      inFlight.put(id, asked);
    } else {
      complete(asked, new Result.Failed(Reason.OVERLOADED, "the queue to " + name + " is full"));
    }
  }

  private void giveUp(long id, CompletableFuture<Result> asked) {
    boolean unused =
        loop.execute(
            () -> {
              if (inFlight.remove(id) != null) {
                mayAsk.release();
                tell(cancel.apply(id));
              } else if (asked.getNow(null) instanceof Result.Came came) {
                takeBack(came.answer());
              }
            });
  }

  private boolean take(Envelope.Content content) {
    OptionalLong numbered = content.envelope().requestId();
    if (numbered.isEmpty()) {
      unreadable.increment();
      return false;
    }
    long id = numbered.getAsLong();
    if (id == TOLD) {
      return false;
    }
    CompletableFuture<Result> asked = inFlight.remove(id);
    Result result = result(content);
    if (asked != null) {
      complete(asked, result);
    } else if (result instanceof Result.Came came) {
      takeBack(came.answer());
    }
    return result instanceof Result.Came;
  }

  private Result result(Envelope.Content content) {
    try {
      EngineReply reply = codec.decode(EngineReply.class, content.payload());
      return new Result.Came(new Answer(reply, content.body()));
    } catch (WireFormatException e) {
      return new Result.Failed(Reason.BROKEN, name + " sent what can't be read: " + e.getMessage());
    }
  }

  private void takeBack(Answer answer) {
    answer.release();
    undo.apply(answer.reply()).ifPresent(this::tell);
  }

  private void complete(CompletableFuture<Result> asked, Result result) {
    mayAsk.release();
    asked.complete(result);
  }

  private void fail(Reason reason, String text) {
    List<CompletableFuture<Result>> all = List.copyOf(inFlight.values());
    inFlight.clear();
    all.forEach(asked -> complete(asked, new Result.Failed(reason, text)));
  }

  /** Ends the connection; who waits is told so. Idempotent. */
  @Override
  public void close() {
    boolean unused = loop.execute(() -> fail(Reason.CLOSED, "the client was closed"));
    loop.close();
  }
}

package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks an engine for past batches. Answers carry no name of their question, so a socket is used
 * again only after it has brought an end marker. Belongs to the loop's thread.
 */
final class ReplayClient implements Replays, MessageHandler {

  private final EngineSettings engine;
  private final SocketLoop loop;
  private final SocketSettings settings;
  private final long timeoutNanos;
  private final EngineCounts counts;
  private final LongSupplier nanos;
  private Consumer<Numbered> answers = unheard -> {};
  private @Nullable ZmqSocket socket;
  private boolean asked;
  private long deadlineNanos;

  ReplayClient(
      EngineSettings engine,
      SocketLoop loop,
      EventsSettings settings,
      EngineCounts counts,
      LongSupplier nanos) {
    this.engine = engine;
    this.loop = loop;
    this.settings = settings.sockets();
    this.timeoutNanos = settings.replayTimeout().toNanos();
    this.counts = counts;
    this.nanos = nanos;
  }

  /** Who gets the answers; before the first question. */
  void answerTo(Consumer<Numbered> listener) {
    answers = listener;
  }

  @Override
  public boolean available() {
    return engine.canReplay();
  }

  @Override
  public void ask(long first) {
    if (asked) {
      abort();
    }
    asked = true;
    deadlineNanos = nanos.getAsLong() + timeoutNanos;
    try {
      ZmqSocket open = socket;
      if (open == null) {
        open = loop.connect(SocketKind.DEALER, engine.replayEndpoint(), settings, this);
        socket = open;
      }
      List<Frame> request = KvEventFrames.replayRequest(first).stream().map(Frame::of).toList();
      if (open.send(request) != SendOutcome.SENT) {
        deadlineNanos = nanos.getAsLong();
      }
    } catch (IOException e) {
      // As good as no answer.
      deadlineNanos = nanos.getAsLong();
    }
  }

  /** Whether the answer is overdue; it is waited for no longer then. */
  boolean isOverdue() {
    if (!asked || nanos.getAsLong() - deadlineNanos < 0) {
      return false;
    }
    abort();
    return true;
  }

  @Override
  public void abort() {
    asked = false;
    ZmqSocket open = socket;
    if (open != null) {
      socket = null;
      loop.close(open);
    }
  }

  @Override
  public void onMessage(ZmqSocket from, Multipart message) {
    try {
      if (from == socket && asked) {
        Numbered answer =
            KvEventFrames.replayed(message.frames().stream().map(Frame::toArray).toList());
        asked = !answer.isEnd();
        answers.accept(answer);
      }
    } catch (WireFormatException e) {
      counts.garbage().refuse(message, e.getMessage());
    } finally {
      message.release();
    }
  }

  @Override
  public void onConnectionLost(ZmqSocket from) {
    if (from == socket && !asked) {
      abort();
    }
  }
}

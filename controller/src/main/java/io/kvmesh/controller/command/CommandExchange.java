package io.kvmesh.controller.command;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request and its reply on a connection of their own. The socket belongs to the loop's thread
 * and is closed with the outcome, whatever it is.
 */
final class CommandExchange implements MessageHandler {

  private final SocketLoop loop;
  private final SocketSettings settings;
  private final MessageCodec codec;
  private final long requestId;
  private final byte[] payload;
  private final CompletableFuture<CommandOutcome> outcome = new CompletableFuture<>();
  private volatile @Nullable ZmqSocket connecting;

  CommandExchange(
      SocketLoop loop,
      SocketSettings settings,
      MessageCodec codec,
      long requestId,
      byte[] payload) {
    this.loop = loop;
    this.settings = settings;
    this.codec = codec;
    this.requestId = requestId;
    this.payload = payload;
  }

  /** The outcome, at the latest after the timeout. Once. */
  CompletableFuture<CommandOutcome> outcome(Duration timeout) {
    CompletableFuture<Void> late =
        new CompletableFuture<Void>()
            .completeOnTimeout(null, timeout.toNanos(), TimeUnit.NANOSECONDS);
    var unused = late.thenRun(() -> end(overdue(timeout)));
    return outcome.whenComplete((end, failure) -> late.complete(null));
  }

  private CommandOutcome overdue(Duration timeout) {
    ZmqSocket socket = connecting;
    return socket != null && socket.wasConnected()
        ? new CommandOutcome.TimedOut()
        : new CommandOutcome.Unreachable("no connection within " + timeout.toMillis() + " ms");
  }

  /** Any thread; the first end counts. */
  void end(CommandOutcome end) {
    outcome.complete(end);
  }

  /** Connects and sends. The loop's thread. */
  void start(String endpoint) {
    if (outcome.isDone()) {
      return;
    }
    try {
      ZmqSocket socket = loop.connect(SocketKind.DEALER, endpoint, settings, this);
      connecting = socket;
      var unused = outcome.whenComplete((end, failure) -> close(socket));
      if (socket.send(Envelope.ofRequest(requestId).with(payload)) != SendOutcome.SENT) {
        end(new CommandOutcome.NotSent("the command can't be queued"));
      }
    } catch (IOException e) {
      end(new CommandOutcome.Unreachable(String.valueOf(e.getMessage())));
    }
  }

  private void close(ZmqSocket socket) {
    if (loop.isOwner()) {
      loop.close(socket);
    } else {
      // Refused only by a loop that closes, which closes its sockets.
      loop.execute(() -> loop.close(socket));
    }
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    try {
      Envelope.Content content = Envelope.split(message);
      if (content.envelope().requestId().orElse(-1) == requestId) {
        ControlReply reply = codec.decode(ControlReply.class, content.payload());
        end(new CommandOutcome.Replied(reply));
      }
    } catch (EnvelopeException | WireFormatException e) {
      end(new CommandOutcome.Undecodable("the worker's answer is no reply: " + e.getMessage()));
    } finally {
      message.release();
    }
  }

  @Override
  public void onConnectionLost(ZmqSocket socket) {
    end(
        new CommandOutcome.Unreachable(
            "the connection was lost before an answer; the worker may have done it"));
  }
}

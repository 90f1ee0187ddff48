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
    return outcome.completeOnTimeout(
        new CommandOutcome.TimedOut(), timeout.toNanos(), TimeUnit.NANOSECONDS);
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
      var unused = outcome.whenComplete((end, failure) -> close(socket));
      if (socket.send(Envelope.ofRequest(requestId).with(payload)) != SendOutcome.SENT) {
        end(new CommandOutcome.NotSent("the command can't be queued"));
      }
    } catch (IOException e) {
      end(new CommandOutcome.NotSent(String.valueOf(e.getMessage())));
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
      end(new CommandOutcome.Garbled("the worker's answer is no reply: " + e.getMessage()));
    } finally {
      message.release();
    }
  }

  @Override
  public void onConnectionLost(ZmqSocket socket) {
    end(
        new CommandOutcome.Garbled(
            "the connection was lost before an answer; the worker may have done it"));
  }
}

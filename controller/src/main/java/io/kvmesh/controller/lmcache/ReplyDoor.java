package io.kvmesh.controller.lmcache;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ROUTER that answers requests, or heartbeats alone. Whatever can be told from an envelope gets
 * one reply, in that envelope and in msgpack: the answer, or an ErrorMsg. Requests that wait don't
 * hold up the others.
 */
final class ReplyDoor implements MessageHandler {

  private static final Logger LOG = LoggerFactory.getLogger(ReplyDoor.class);

  private final FrontCounts.Door door;
  private final SocketLoop loop;
  private final FrameReader frames;
  private final MessageCodec codec;
  private final RequestHandler handler;
  private final FrontCounts counts;
  private final int maxInFlight;
  private final LogLimit logLimit = new LogLimit(System::nanoTime);
  private final AtomicInteger inFlight = new AtomicInteger();

  ReplyDoor(
      FrontCounts.Door door,
      SocketLoop loop,
      MessageCodec codec,
      RequestHandler handler,
      FrontCounts counts,
      int maxInFlight) {
    this.door = door;
    this.loop = loop;
    this.frames = new FrameReader(codec, counts, door);
    this.codec = codec;
    this.handler = handler;
    this.counts = counts;
    this.maxInFlight = maxInFlight;
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    try {
      Envelope.Content content = Envelope.splitAnswerable(message);
      answer(socket, content.envelope(), reply(message, content.payload()));
    } catch (EnvelopeException e) {
      counts.garbage(door).refuse(message, e.getMessage());
    } finally {
      message.release();
    }
  }

  private CompletableFuture<DirectoryReply> reply(Multipart message, byte[] payload) {
    DirectoryMessage request;
    try {
      request = frames.read(payload);
    } catch (WireFormatException e) {
      counts.garbage(door).refuse(message, e.getMessage());
      return now(new ErrorMsg(String.valueOf(e.getMessage()), ErrorMsg.BAD_REQUEST));
    }
    if (!(request instanceof DirectoryRequest known) || !serves(known)) {
      counts.unsupported(door);
      return now(new ErrorMsg(refusal(request.getClass().getSimpleName()), ErrorMsg.UNSUPPORTED));
    }
    if (RequestHandler.mayWait(known) && inFlight.get() >= maxInFlight) {
      counts.lost(FrontCounts.Loss.OVERLOAD);
      return now(new ErrorMsg("too many requests wait already", ErrorMsg.NOT_READY));
    }
    return handled(known);
  }

  private boolean serves(DirectoryRequest request) {
    return door != FrontCounts.Door.HEARTBEAT || request instanceof HeartbeatMsg;
  }

  private String refusal(String type) {
    return door == FrontCounts.Door.HEARTBEAT
        ? "Expected HeartbeatMsg, got " + type
        : "Unknown message type: " + type;
  }

  private CompletableFuture<DirectoryReply> handled(DirectoryRequest request) {
    try {
      return handler.handle(request);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<DirectoryReply> now(DirectoryReply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  private void answer(
      ZmqSocket socket, Envelope envelope, CompletableFuture<DirectoryReply> reply) {
    if (reply.isDone() && !reply.isCompletedExceptionally()) {
      send(socket, envelope, reply.join());
      return;
    }
    inFlight.incrementAndGet();
    counts.begin(door);
    var unused =
        reply.whenComplete((answer, failure) -> answerLater(socket, envelope, answer, failure));
  }

  private void answerLater(
      ZmqSocket socket,
      Envelope envelope,
      @Nullable DirectoryReply answer,
      @Nullable Throwable failure) {
    inFlight.decrementAndGet();
    counts.end(door);
    if (answer == null) {
      counts.lost(FrontCounts.Loss.FAULT);
      if (logLimit.permits()) {
        LOG.error("A request failed", failure);
      }
    }
    DirectoryReply reply =
        answer == null ? new ErrorMsg("the controller failed", ErrorMsg.NOT_READY) : answer;
    if (!loop.execute(() -> send(socket, envelope, reply))) {
      counts.lost(FrontCounts.Loss.OVERLOAD);
    }
  }

  private void send(ZmqSocket socket, Envelope envelope, DirectoryReply reply) {
    if (socket.send(envelope.with(codec.encode(reply))) != SendOutcome.SENT) {
      counts.lost(FrontCounts.Loss.NO_ROUTE);
    }
  }
}

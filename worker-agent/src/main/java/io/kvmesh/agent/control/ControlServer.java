package io.kvmesh.agent.control;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The door for the controllers' commands. Every message gets one reply. A reply is a receipt: the
 * index changes when the cache's own events arrive.
 */
public final class ControlServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);

  private static final int MAX_QUEUED_TASKS = 64;
  private final CommandDesk desk;
  private final MessageCodec codec;
  private final Counters<ControlCount> counters;
  private final SocketLoop loop;
  private final RefusedFrames refused;
  private volatile int port;

  /** Assigns only. */
  public ControlServer(
      CommandDesk desk,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<ControlCount> counters,
      LongSupplier nanoTime) {
    this.desk = desk;
    this.codec = codec;
    this.counters = counters;
    this.loop = new SocketLoop("control", sockets, MAX_QUEUED_TASKS);
    this.refused = new RefusedFrames("control", nanoTime);
  }

  /**
   * Opens the door.
   *
   * @param bind tcp://host:port
   * @throws IOException if the address is taken; the server is then closed
   */
  public void start(String bind, SocketSettings settings) throws IOException {
    loop.start();
    try {
      port = loop.bind(SocketKind.ROUTER, bind, settings, new Door()).port();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** The port that is open. */
  public int port() {
    return port;
  }

  /** Frames that were refused. */
  public RefusedFrames refusedFrames() {
    return refused;
  }

  @Override
  public void close() {
    desk.close();
    loop.close();
  }

  private final class Door implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      try {
        take(socket, message, Envelope.splitAnswerable(message));
      } catch (EnvelopeException e) {
        counters.count(ControlCount.BAD_FRAME);
        refused.refuse(message, e.getMessage());
      } finally {
        message.release();
      }
    }

    private void take(ZmqSocket socket, Multipart message, Envelope.Content content) {
      Envelope envelope = content.envelope();
      try {
        ControlRequest request = codec.decode(ControlRequest.class, content.payload());
        desk.take(request, reply -> sendSoon(socket, envelope, reply));
      } catch (WireFormatException e) {
        counters.count(ControlCount.BAD_FRAME);
        refused.refuse(message, e.getMessage());
        send(socket, envelope, new ErrorMsg(String.valueOf(e.getMessage()), "bad_request"));
      } catch (RuntimeException e) {
        counters.count(ControlCount.FAILED);
        LOG.error("A command failed", e);
        send(socket, envelope, new ErrorMsg("Worker error: " + e.getClass().getSimpleName()));
      }
    }

    /** From any thread. */
    private void sendSoon(ZmqSocket socket, Envelope envelope, ControlReply reply) {
      if (!loop.run(() -> send(socket, envelope, reply))) {
        counters.count(ControlCount.REPLY_LOST);
      }
    }

    private void send(ZmqSocket socket, Envelope envelope, ControlReply reply) {
      if (socket.send(envelope.with(codec.encode(reply))) != SendOutcome.SENT) {
        counters.count(ControlCount.REPLY_LOST);
      }
    }
  }
}

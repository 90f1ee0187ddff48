package io.kvmesh.agent.control;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.Cleared;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
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
 * The door for the controllers' commands: clear what is here, tell how you are. Every message gets
 * one reply. A reply is a receipt: the index changes when the cache's own events arrive.
 */
public final class ControlServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);

  private static final int MAX_QUEUED_TASKS = 64;
  private static final int HEALTHY = 0;
  private static final int UNHEALTHY = -1;

  private final LocalPeer self;
  private final String location;
  private final ChunkCache cache;
  private final MessageCodec codec;
  private final Counters<ControlCount> counters;
  private final SocketLoop loop;
  private final RefusedFrames refused;
  private volatile int port;

  /**
   * Assigns only.
   *
   * @param location name of the cache on the wire
   */
  public ControlServer(
      LocalPeer self,
      String location,
      ChunkCache cache,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<ControlCount> counters,
      LongSupplier nanoTime) {
    this.self = self;
    this.location = location;
    this.cache = cache;
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
    loop.close();
  }

  private ControlReply answer(ControlRequest request) {
    return switch (request) {
      case ClearWorkerMsg clear when clear.location().equals(location) -> clear();
      case ClearWorkerMsg clear -> {
        counters.count(ControlCount.UNSUPPORTED);
        yield new ErrorMsg(
            "There is no location '%s' here, only %s".formatted(clear.location(), location),
            "bad_request");
      }
      case HealthWorkerMsg health -> {
        counters.count(ControlCount.HEALTH);
        yield new HealthWorkerRetMsg(self.fenced().getAsBoolean() ? UNHEALTHY : HEALTHY);
      }
      case ControlRequest other -> {
        counters.count(ControlCount.UNSUPPORTED);
        yield new ErrorMsg(
            "This agent has no command " + other.getClass().getSimpleName(), "unsupported");
      }
    };
  }

  private ClearWorkerRetMsg clear() {
    Cleared cleared = cache.clear();
    counters.count(ControlCount.CLEAR);
    LOG.info("Cleared {} chunks on command", cleared.chunks());
    return new ClearWorkerRetMsg(
        cleared.tokens(), self.epoch().getAsLong(), cleared.sequence(), (long) cleared.chunks());
  }

  private final class Door implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      try {
        Envelope.Content content = Envelope.splitRouted(message);
        send(socket, content.envelope(), reply(message, content.payload()));
      } catch (EnvelopeException e) {
        counters.count(ControlCount.BAD_FRAME);
        refused.refuse(message, e.getMessage());
      } finally {
        message.release();
      }
    }

    private ControlReply reply(Multipart message, byte[] payload) {
      try {
        return answer(codec.decode(ControlRequest.class, payload));
      } catch (WireFormatException e) {
        counters.count(ControlCount.BAD_FRAME);
        refused.refuse(message, e.getMessage());
        return new ErrorMsg(String.valueOf(e.getMessage()), "bad_request");
      } catch (RuntimeException e) {
        counters.count(ControlCount.FAILED);
        LOG.error("A command failed", e);
        return new ErrorMsg("Worker error: " + e.getClass().getSimpleName());
      }
    }

    private void send(ZmqSocket socket, Envelope envelope, ControlReply reply) {
      if (socket.send(envelope.with(codec.encode(reply))) != SendOutcome.SENT) {
        counters.count(ControlCount.REPLY_LOST);
      }
    }
  }
}

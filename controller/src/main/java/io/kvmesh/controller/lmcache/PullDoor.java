package io.kvmesh.controller.lmcache;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PULL that takes one-way messages. Every frame is one; a bad one doesn't spoil the rest. While
 * the log has no room it takes none: they wait in the sockets, and beyond those at the workers.
 */
final class PullDoor implements MessageHandler {

  private static final Logger LOG = LoggerFactory.getLogger(PullDoor.class);

  private final FrameReader frames;
  private final PushHandler handler;
  private final FrontCounts counts;
  private final BooleanSupplier room;
  private final SocketLoop loop;
  private final LogLimit logLimit = new LogLimit(System::nanoTime);
  private @Nullable ZmqSocket source;
  private boolean paused;

  /**
   * @param room whether the log has room
   * @param loop whose thread calls this
   */
  PullDoor(
      FrameReader frames,
      PushHandler handler,
      FrontCounts counts,
      BooleanSupplier room,
      SocketLoop loop) {
    this.frames = frames;
    this.handler = handler;
    this.counts = counts;
    this.room = room;
    this.loop = loop;
  }

  /** To be called every few milliseconds. What the handler held may take all room there is. */
  void tick() {
    handler.tick();
    if (source != null) {
      pauseOrResume(source);
    }
  }

  private void pauseOrResume(ZmqSocket socket) {
    boolean full = !room.getAsBoolean();
    if (full && !paused) {
      loop.pause(socket);
      counts.pullPaused();
    } else if (!full && paused) {
      loop.resume(socket);
    }
    paused = full;
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    counts.begin(FrontCounts.Door.PULL);
    try {
      for (Frame frame : message.frames()) {
        onFrame(message, frame);
      }
    } finally {
      counts.end(FrontCounts.Door.PULL);
      message.release();
    }
    source = socket;
    pauseOrResume(socket);
  }

  private void onFrame(Multipart message, Frame frame) {
    try {
      handler.handle(frames.read(frame.toArray()));
    } catch (WireFormatException | KeyFormatException e) {
      Multipart shown = new Multipart(List.of(frame), message.peerAddress());
      counts.garbage(FrontCounts.Door.PULL).refuse(shown, e.getMessage());
    } catch (RuntimeException e) {
      counts.lost(FrontCounts.Loss.FAULT);
      if (logLimit.permits()) {
        LOG.error("A pushed message failed", e);
      }
    }
  }
}

package io.kvmesh.common.zmq;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** Wakes a thread that polls: a pipe that holds at most one byte. */
final class WakeUp implements AutoCloseable {

  private static final int SIGNAL_BYTES = 1;

  private final Pipe pipe;
  private final ByteBuffer drained = ByteBuffer.allocate(SIGNAL_BYTES);
  private final AtomicBoolean pending = new AtomicBoolean();

  WakeUp() throws IOException {
    pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    pipe.sink().configureBlocking(false);
  }

  /** Becomes readable when signalled. */
  SelectableChannel channel() {
    return pipe.source();
  }

  /** Any thread; one signal before the next {@link #reset} is as good as many. */
  void signal() throws IOException {
    if (pending.compareAndSet(false, true)) {
      pipe.sink().write(ByteBuffer.allocate(SIGNAL_BYTES));
    }
  }

  /** The polling thread, before it looks for work. */
  void reset() throws IOException {
    if (pending.get()) {
      drained.clear();
      if (pipe.source().read(drained) > 0) {
        pending.set(false);
      }
    }
  }

  @Override
  public void close() throws IOException {
    pipe.sink().close();
    pipe.source().close();
  }
}

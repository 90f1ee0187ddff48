package io.kvmesh.quickstart;

import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.quickstart.SyncingWorker.Counts;
import io.kvmesh.quickstart.SyncingWorker.Doors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Many {@link SyncingWorker}s on a thread of their own. */
final class SyncingWorkers {

  private static final long PAUSE_MILLIS = 5;

  private final ZmqSockets sockets = new ZmqSockets();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final FutureTask<Void> task;
  private volatile Counts counts = Counts.NONE;
  private volatile int busy;

  private SyncingWorkers(int workers, Doors doors) {
    task =
        new FutureTask<>(
            () -> {
              run(workers, doors);
              return null;
            });
  }

  static SyncingWorkers start(int workers, Doors doors) {
    SyncingWorkers started = new SyncingWorkers(workers, doors);
    Thread.ofPlatform().daemon().name("workers").start(started.task);
    return started;
  }

  private void run(int number, Doors doors)
      throws IOException, WireFormatException, InterruptedException {
    List<SyncingWorker> workers = new ArrayList<>();
    try {
      for (int i = 0; i < number; i++) {
        workers.add(new SyncingWorker(i, sockets, doors, System.nanoTime()));
      }
      while (!stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        for (SyncingWorker worker : workers) {
          worker.turn(System.nanoTime());
        }
        busy = (int) workers.stream().filter(worker -> !worker.isAtRest()).count();
        counts = workers.stream().map(SyncingWorker::counts).reduce(Counts.NONE, Counts::plus);
      }
    } finally {
      workers.forEach(SyncingWorker::close);
    }
  }

  /** What all have met so far. */
  Counts counts() {
    return counts;
  }

  /** How many are in a full sync. */
  int busy() {
    if (task.isDone()) {
      throw new IllegalStateException("The workers have ended");
    }
    return busy;
  }

  /** Ends them without a goodbye; fails as their thread did. */
  void close() throws InterruptedException, ExecutionException {
    stop.countDown();
    try {
      task.get();
    } finally {
      sockets.close();
    }
  }
}

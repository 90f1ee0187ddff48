package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.zmq.SocketLoop;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that may take time: each runs on a thread of its own, so many at once at most, and its
 * outcome comes back to the door's thread. What isn't said otherwise is for that thread alone.
 */
final class EngineTasks {

  private static final Logger LOG = LoggerFactory.getLogger(EngineTasks.class);

  private static final int CLOSE_SECONDS = 5;

  /** A piece of work. */
  interface Job {
    Outcome run() throws EngineFault, InterruptedException;
  }

  /** What came of a job. */
  private sealed interface Result {
    record Done(Outcome outcome) implements Result {}

    record Failed(EngineFault fault) implements Result {}

    record Interrupted() implements Result {}
  }

  private final SocketLoop loop;
  private final int most;
  private final LongSupplier nanoTime;
  private final Semaphore mayWork;
  private final Thread.Builder workers = Thread.ofVirtual().name("engine-", 0);

  EngineTasks(SocketLoop loop, int most, LongSupplier nanoTime) {
    this.loop = loop;
    this.most = most;
    this.nanoTime = nanoTime;
    this.mayWork = new Semaphore(most);
  }

  /** Tasks at work. Any thread. */
  int atWork() {
    return most - mayWork.availablePermits();
  }

  /**
   * Runs the job, then answers its caller.
   *
   * @param after runs when the job has ended, on its thread, if it is begun
   * @throws EngineFault if it isn't begun
   */
  void begin(EngineTask task, Job job, Runnable after) throws EngineFault {
    EngineSession session = task.session();
    session.requireLease(task.leaseId());
    session.share().setAside(task.setAside());
    if (!mayWork.tryAcquire()) {
      session.share().endSetAside(task.setAside());
      throw EngineFault.overloaded("%d requests are at work".formatted(most));
    }
    Thread thread =
        workers.unstarted(
            () -> {
              Result result = run(job, after);
              Thread self = Thread.currentThread();
              if (!loop.execute(() -> finish(task, self, result))) {
                mayWork.release();
                drop(result);
              }
            });
    session.began(thread, task);
    thread.start();
  }

  private static Result run(Job job, Runnable after) {
    try {
      return new Result.Done(job.run());
    } catch (EngineFault e) {
      return new Result.Failed(e);
    } catch (InterruptedException e) {
      return new Result.Interrupted();
    } catch (RuntimeException | Error e) {
      LOG.error("A request of the engine failed", e);
      return new Result.Failed(
          new EngineFault(EngineErrorCode.INTERNAL, e.getClass().getSimpleName()));
    } finally {
      after.run();
    }
  }

  private static void drop(Result result) {
    if (result instanceof Result.Done done) {
      done.outcome().drop();
    }
  }

  private void finish(EngineTask task, Thread thread, Result result) {
    EngineSession session = task.session();
    session.finished(thread, nanoTime.getAsLong());
    switch (result) {
      case Result.Done done -> finish(task, done.outcome());
      case Result.Failed failed -> task.caller().fail(failed.fault());
      case Result.Interrupted interrupted ->
          task.caller()
              .fail(
                  session.hasEnded()
                      ? new EngineFault(EngineErrorCode.CLOSING, "the session has ended")
                      : new EngineFault(EngineErrorCode.CANCELLED, "the request was cancelled"));
    }
    mayWork.release();
  }

  private void finish(EngineTask task, Outcome outcome) {
    EngineSession session = task.session();
    long id = 0;
    try {
      if (session.hasEnded()) {
        throw new EngineFault(EngineErrorCode.UNKNOWN_SESSION, "the session has ended");
      }
      session.requireLease(task.leaseId());
      if (outcome.kept() != null) {
        id = session.keep(task.leaseId(), outcome.kept(), outcome.read(), nanoTime.getAsLong());
      }
    } catch (EngineFault e) {
      outcome.drop();
      task.caller().fail(e);
      return;
    }
    boolean sent = task.caller().answer(outcome.reply().apply(id), outcome.bodies());
    if (!sent && id != 0 && task.leaseId() == 0) {
      session.drop(id);
    }
  }

  /**
   * Waits until none is at work. They were interrupted: each ends at its next wait, or with the
   * chunk that it copies. Any thread.
   */
  void await() {
    try {
      if (mayWork.tryAcquire(most, CLOSE_SECONDS, TimeUnit.SECONDS)) {
        mayWork.release(most);
      } else {
        LOG.warn("{} requests of the engine still run", atWork());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

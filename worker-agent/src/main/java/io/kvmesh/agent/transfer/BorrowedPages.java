package io.kvmesh.agent.transfer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Pages that an owner lent over one connection, to be given back one loan after the other. A loan
 * may end on any thread; the owner is told by the thread of the connection.
 */
final class BorrowedPages {

  private final Consumer<Runnable> thread;
  private final LongPredicate sayDone;

  /** Ids of loans that ended and whose owner wasn't told yet. */
  private final Queue<Long> ended = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /**
   * @param thread runs a task on the thread of the connection, or drops the task
   * @param sayDone tells the owner that a loan has ended; false if it can't be told now. Called on
   *     the thread of the connection
   */
  BorrowedPages(Consumer<Runnable> thread, LongPredicate sayDone) {
    this.thread = thread;
    this.sayDone = sayDone;
  }

  /** One loan, until it is ended. Any thread; ending it again does nothing. */
  interface Loan {
    /** Its pages aren't read any more. */
    void end();
  }

  /**
   * The loan of this id.
   *
   * @param id null or 0 = nothing was lent
   */
  Loan loan(@Nullable Long id) {
    if (id == null || id == 0) {
      return () -> {};
    }
    AtomicBoolean open = new AtomicBoolean(true);
    return () -> {
      if (open.compareAndSet(true, false)) {
        end(id);
      }
    };
  }

  private void end(long id) {
    ended.add(id);
    thread.accept(this::tellOwner);
  }

  /** Tells what wasn't told yet, as far as that goes. The thread of the connection. */
  void tellOwner() {
    for (Long id = ended.peek(); id != null; id = ended.peek()) {
      if (!closed && !sayDone.test(id)) {
        return;
      }
      ended.remove();
    }
  }

  /** The connection is gone, and the owner has ended all loans itself. Its thread. */
  void close() {
    closed = true;
    tellOwner();
  }
}

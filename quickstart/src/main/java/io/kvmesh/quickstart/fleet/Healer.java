package io.kvmesh.quickstart.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts programs again that have ended by themselves, under the same identity and ports, each on a
 * thread of its own. One that ends again and again is started at growing intervals.
 */
public final class Healer implements AutoCloseable {

  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(15);
  private static final Duration STABLE = Duration.ofSeconds(30);
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(2);

  /** Hears what happens, on the thread of the program concerned. */
  public interface Listener {

    void ended(Member member, int status);

    void startedAgain(Member member, Duration took);

    void failed(Member member, ChildFailure failure);
  }

  private final Listener listener;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  private Healer(Listener listener) {
    this.listener = listener;
  }

  /** Watches programs that run. */
  public static Healer watch(List<Member> members, Listener listener) {
    Healer healer = new Healer(listener);
    for (Member member : members) {
      healer.threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("heal-" + member.name())
              .start(() -> healer.run(member)));
    }
    return healer;
  }

  /** Starts nothing any more; waits a moment for starts under way to be given up. */
  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join(JOIN_TIMEOUT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(Member member) {
    Duration delay = FIRST_DELAY;
    try {
      while (true) {
        long since = System.nanoTime();
        int status = member.awaitEnd();
        if (System.nanoTime() - since > STABLE.toNanos()) {
          delay = FIRST_DELAY;
        }
        Thread.sleep(delay);
        if (closed) {
          return;
        }
        listener.ended(member, status);
        startAgain(member);
        delay = longer(delay);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void startAgain(Member member) throws InterruptedException {
    long begin = System.nanoTime();
    try {
      member.start();
      listener.startedAgain(member, Duration.ofNanos(System.nanoTime() - begin));
    } catch (ChildFailure e) {
      listener.failed(member, e);
    }
  }

  private static Duration longer(Duration delay) {
    Duration twice = delay.multipliedBy(2);
    return twice.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : twice;
  }
}

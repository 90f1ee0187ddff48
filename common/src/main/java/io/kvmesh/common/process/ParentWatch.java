package io.kvmesh.common.process;

import java.time.Duration;
import java.util.Optional;

/**
 * Ends this process when another one, its launcher, has ended, however that came about. The
 * launcher passes its own process id with {@link #OPTION}; a launcher that is already gone counts
 * as ended.
 */
public final class ParentWatch {

  /** Command line option that carries the launcher's process id: {@code --parent-pid N}. */
  public static final String OPTION = "--parent-pid";

  /** Exit status of a process whose launcher has ended. */
  public static final int EXIT_STATUS = 75;

  /** Time that shutdown hooks get; after it the process is halted. */
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(15);

  private ParentWatch() {}

  /** Watches the process {@code parentPid} on a daemon thread; returns at once. */
  public static void start(long parentPid) {
    Thread.ofPlatform().daemon().name("parent-watch").start(() -> exitAfter(parentPid));
  }

  private static void exitAfter(long parentPid) {
    Optional<ProcessHandle> parent = ProcessHandle.of(parentPid);
    parent.ifPresent(handle -> handle.onExit().join());
    System.err.println("the launcher (process " + parentPid + ") has ended; exiting");
    Thread.ofPlatform().daemon().name("parent-watch-halt").start(ParentWatch::haltAfterLimit);
    System.exit(EXIT_STATUS);
  }

  private static void haltAfterLimit() {
    try {
      Thread.sleep(SHUTDOWN_LIMIT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(EXIT_STATUS);
  }
}

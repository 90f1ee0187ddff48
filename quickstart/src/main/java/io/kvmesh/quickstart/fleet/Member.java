package io.kvmesh.quickstart.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A program of the system over its lives: started again it has the same identity, data and ports.
 * Any thread.
 */
public final class Member {

  private final Program program;
  private final WorkFolder folder;

  @GuardedBy("this")
  private Map<String, String> addresses = Map.of();

  @GuardedBy("this")
  private @Nullable ChildProcess process;

  Member(Program program, WorkFolder folder) {
    this.program = program;
    this.folder = folder;
  }

  public String name() {
    return program.name();
  }

  /**
   * Starts it and waits until it serves.
   *
   * @throws ChildFailure if it ends before that or takes too long; it doesn't run then
   */
  public void start() throws ChildFailure, InterruptedException {
    launch();
    awaitReady();
  }

  /** Starts it without waiting; {@link #awaitReady} must follow. */
  public synchronized void launch() throws ChildFailure {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException(name() + " runs already");
    }
    process =
        ChildProcess.start(
            name(), program.command(addresses), folder.data(name()), folder.log(name()));
  }

  /** Waits until it serves, and learns its addresses. */
  public void awaitReady() throws ChildFailure, InterruptedException {
    ChildProcess starting = running();
    try {
      Map<String, String> known = program.awaitReady(starting);
      synchronized (this) {
        addresses = Map.copyOf(known);
      }
    } catch (ChildFailure | InterruptedException | RuntimeException e) {
      starting.kill();
      throw e;
    }
  }

  /**
   * One of its addresses.
   *
   * @throws IllegalArgumentException if it has none of that name
   */
  public synchronized String address(String door) {
    String address = addresses.get(door);
    if (address == null) {
      throw new IllegalArgumentException(name() + " has no " + door + ", only " + addresses);
    }
    return address;
  }

  /** All its addresses by name; they stay the same over its lives. */
  public synchronized Map<String, String> addresses() {
    return addresses;
  }

  public long pid() {
    return running().pid();
  }

  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Asks it to end. */
  public void terminate() {
    running().terminate();
  }

  /** Ends it as {@code kill -9} does, and waits until it is gone. */
  public void kill() throws InterruptedException {
    ChildProcess victim = running();
    victim.kill();
    victim.awaitEnd(Duration.ofSeconds(10));
  }

  /** Ends it in an orderly way; where that takes too long, without asking. */
  void stop(Duration timeout) throws InterruptedException {
    ChildProcess ending;
    synchronized (this) {
      ending = process;
    }
    if (ending != null && !ending.awaitEnd(timeout)) {
      ending.kill();
      ending.awaitEnd(timeout);
    }
  }

  /** A failure of this program, with the end of its log. */
  ChildFailure failure(String what) {
    return running().failure(what);
  }

  /** What went wrong, if it has ended by itself. */
  public ChildFailure ended() {
    return running().ended();
  }

  /** Waits until its present life ends; the status. */
  int awaitEnd() throws InterruptedException {
    return running().awaitEnd();
  }

  /** Completed when its present life ends. */
  public CompletableFuture<Process> onExit() {
    return running().onExit();
  }

  private synchronized ChildProcess running() {
    if (process == null) {
      throw new IllegalStateException(name() + " was never started");
    }
    return process;
  }
}

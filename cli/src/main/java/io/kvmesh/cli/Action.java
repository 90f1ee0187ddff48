package io.kvmesh.cli;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** A command of the command line: asks controllers, prints, ends with a status. */
abstract class Action implements Callable<Integer> {

  /** All is well. */
  static final int GOOD = CommandLine.ExitCode.OK;

  /** The answer is one, and it is bad: it failed, or something is wrong. */
  static final int BAD = CommandLine.ExitCode.SOFTWARE;

  /** Wrong options, or the controller refuses what was asked for. */
  static final int REFUSED = CommandLine.ExitCode.USAGE;

  /** No controller could be asked. */
  static final int UNREACHABLE = 3;

  @Mixin private Connection connection;

  /** Options are set by the parser. */
  @SuppressWarnings("NullAway.Init")
  Action() {}

  @Override
  public final Integer call() throws InterruptedException {
    try {
      return run(connection);
    } catch (ApiException.Refused e) {
      return fail(e, e.isTheAskersFault() ? REFUSED : BAD);
    } catch (ApiException e) {
      return fail(e, UNREACHABLE);
    }
  }

  private int fail(ApiException e, int status) {
    connection.say(String.valueOf(e.getMessage()));
    return status;
  }

  /** Waits between two looks. */
  static void pause(int millis) throws InterruptedException {
    var unused = new CountDownLatch(1).await(Math.max(0, millis), TimeUnit.MILLISECONDS);
  }

  /** Does it; the status to end with. */
  abstract int run(Connection connection) throws ApiException, InterruptedException;
}

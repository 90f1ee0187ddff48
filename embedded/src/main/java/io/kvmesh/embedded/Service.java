package io.kvmesh.embedded;

import io.kvmesh.common.process.ParentWatch;
import java.io.IOException;
import java.util.function.ToIntFunction;

/** Runs one embedded server as this process, until it is told to end or its launcher has ended. */
final class Service {

  private static final int BAD_OPTION = 2;
  private static final int CANNOT_START = 1;

  /** Starts a server. */
  interface Starter<S extends AutoCloseable> {
    S start(ServiceOptions options) throws IOException;
  }

  private Service() {}

  /**
   * Prints {@code ready NAME 127.0.0.1:PORT} once it serves; every failure is one line on standard
   * error and a status other than 0.
   */
  static <S extends AutoCloseable> S run(
      String name, String[] args, Starter<S> starter, ToIntFunction<S> portOf) {
    try {
      ServiceOptions options = ServiceOptions.parse(args);
      options.parentPid().ifPresent(ParentWatch::start);
      S server = starter.start(options);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(name, server), name + "-stop"));
      System.out.println("ready " + name + " 127.0.0.1:" + portOf.applyAsInt(server));
      System.out.flush();
      return server;
    } catch (IllegalArgumentException e) {
      throw fail(name, e, BAD_OPTION);
    } catch (IOException e) {
      throw fail(name, e, CANNOT_START);
    }
  }

  /** Doesn't return. */
  private static IllegalStateException fail(String name, Exception e, int status) {
    System.err.println(name + ": " + e.getMessage());
    System.exit(status);
    return new IllegalStateException(e);
  }

  private static void close(String name, AutoCloseable server) {
    try {
      server.close();
    } catch (Exception e) {
      System.err.println(name + ": did not stop cleanly: " + e);
    }
  }
}

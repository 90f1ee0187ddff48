package io.kvmesh.common.process;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what ends a thread, as an event like any other; the JVM alone would print a stack trace. */
public final class UncaughtFaults {

  private static final Logger LOG = LoggerFactory.getLogger(UncaughtFaults.class);

  private UncaughtFaults() {}

  /** From now on, in the whole process: for main programs alone. */
  public static void log() {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, fault) -> LOG.error("The thread {} has ended", thread.getName(), fault));
  }
}

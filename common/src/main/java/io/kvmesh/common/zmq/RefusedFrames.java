package io.kvmesh.common.zmq;

import io.kvmesh.common.count.LogLimit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a socket refuses because it is no message, and logs some of it: where it came from,
 * how long it is, how it starts and which rule it breaks. Any thread.
 */
public final class RefusedFrames {

  private static final Logger LOG = LoggerFactory.getLogger(RefusedFrames.class);

  private final String socket;
  private final LogLimit limit;
  private final LongAdder refused = new LongAdder();

  /**
   * @param socket its name in the log
   */
  public RefusedFrames(String socket, LongSupplier nanoTime) {
    this.socket = socket;
    this.limit = new LogLimit(nanoTime);
  }

  /** Something was refused. */
  public void refuse(Multipart message, @Nullable String rule) {
    refused.increment();
    if (limit.permits()) {
      LOG.warn("Socket {} refuses a {}: {} ({} so far)", socket, message, rule, refused.sum());
    }
  }

  /** Name of the socket. */
  public String socket() {
    return socket;
  }

  /** How much was refused. */
  public long count() {
    return refused.sum();
  }
}

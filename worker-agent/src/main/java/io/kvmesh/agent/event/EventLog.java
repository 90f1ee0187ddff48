package io.kvmesh.agent.event;

import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The log as its writer sees it: an ordered one-way street. A call blocks for seconds at most; what
 * becomes of it is told to the completion, once, perhaps from another thread, perhaps within the
 * call.
 */
interface EventLog {

  /** Hears what became of a call. */
  interface Completion {
    /**
     * The end of it.
     *
     * @param offset of the record in its partition; −1 if there is none
     * @param failure null if it went well
     */
    void done(long offset, @Nullable Throwable failure);
  }

  /**
   * Makes ready to send: the connection, the topic. Also called after a failed send, when nothing
   * is in flight.
   */
  void prepare(Completion completion);

  /** Appends a record; records reach the log in the order of these calls. */
  void send(LogEvent event, Completion completion);

  /** Gives up what is in flight and lets go of everything. */
  void close(Duration atMost);
}

package io.kvmesh.controller.ingest;

import io.kvmesh.controller.log.EventLogTopic;
import io.kvmesh.controller.log.LogUnavailableException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then what the log's topic is like. Kafka's consumers go on in a topic that was
 * deleted and created again as if it were the same, and don't read partitions that were added.
 */
final class TopicWatch {

  private static final Logger log = LoggerFactory.getLogger(TopicWatch.class);

  private final EventLogTopic topic;
  private final Duration interval;

  TopicWatch(EventLogTopic topic, Duration interval) {
    this.topic = topic;
    this.interval = interval;
  }

  /** Looks until the thread is closing. */
  void run(ReaderThread thread) throws InterruptedException {
    while (isNextDue(thread)) {
      try {
        topic.watch(() -> isNextDue(thread));
      } catch (LogUnavailableException e) {
        // Whoever reads the topic says so.
        log.debug("The topic can't be looked at: {}", e.getMessage());
      }
    }
  }

  private boolean isNextDue(ReaderThread thread) throws InterruptedException {
    thread.pause(interval);
    return !thread.isClosing();
  }
}

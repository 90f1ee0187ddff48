package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.kvmesh.controller.log.EventLogTopic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class TopicWatchTest {

  private static final Duration INTERVAL = Duration.ofMillis(200);

  private final Logger logger = (Logger) LoggerFactory.getLogger(TopicWatch.class);
  private final Lines lines = new Lines();

  private static final class Lines extends AppenderBase<ILoggingEvent> {

    private final List<Long> timesMillis = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent line) {
      timesMillis.add(line.getTimeStamp());
    }
  }

  @BeforeEach
  void listen() {
    logger.setLevel(Level.DEBUG);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @Test
  void clientThatCantEvenBeMade_isTriedOnceAnInterval() {
    var topic = new EventLogTopic("c", Map.of("bootstrap.servers", "no port"), 1, 1);
    var watch = new TopicWatch(topic, INTERVAL);
    var thread = new ReaderThread("watch", watch::run, new IngestCounters());
    thread.start();
    try {
      await().until(() -> lines.timesMillis.size() > 3);
      List<Long> times = List.copyOf(lines.timesMillis);
      for (int i = 1; i < times.size(); i++) {
        assertThat(times.get(i) - times.get(i - 1)).isGreaterThan(INTERVAL.toMillis() / 2);
      }
    } finally {
      thread.close();
      thread.join(Duration.ofSeconds(10));
    }
  }
}

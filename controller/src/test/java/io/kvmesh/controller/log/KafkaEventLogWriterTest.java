package io.kvmesh.controller.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaEventLogWriterTest {

  private static final int HASHES = 100_000;
  private static final long HASH = -1L;

  @Test
  void hasRoom_untilEightMegabytesWait_andAgainWhenTheyHaveFailed() {
    List<ChunkHash> keys = Collections.nCopies(HASHES, ChunkHash.ofUnsigned(HASH));
    LogEvent event = new SnapshotBatch("F", 0, 1, "CPU", "sync", 0, "k", keys, 0);
    try (KafkaEventLogWriter writer =
        new KafkaEventLogWriter("test", Map.of("bootstrap.servers", "127.0.0.1:1"))) {
      int given = 0;
      while (writer.hasRoom()) {
        var unused = writer.append(event);
        given++;
      }

      // Nine bytes a hash.
      assertThat(given).isBetween((8 << 20) / (9 * HASHES), (8 << 20) / (9 * HASHES) + 1);
      await().atMost(Duration.ofSeconds(30)).until(writer::hasRoom);
      assertThat(writer.failures()).isPositive();
    }
  }
}

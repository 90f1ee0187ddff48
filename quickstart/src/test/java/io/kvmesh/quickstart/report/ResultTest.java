package io.kvmesh.quickstart.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.quickstart.QuickstartException;
import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.options.Ports;
import io.kvmesh.quickstart.replay.Latency;
import io.kvmesh.quickstart.replay.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultTest {

  private static final Outcome OUTCOME =
      new Outcome(
          1_500,
          41_702,
          1_974,
          1_394,
          38_334,
          2,
          35_728,
          4_000,
          91_357_184,
          3_368,
          new Latency(1_500, 1_000_000, 2_500_000),
          new Latency(300, 4_000_000, 9_000_000),
          new Latency(1_400, 3_000_000, 8_000_000),
          12_345_000_000L);

  @TempDir private Path folder;

  @Test
  void json_finished_hasCountsLatenciesAndAddresses() throws Exception {
    Path file = folder.resolve("out.json");
    ResultJson json = ResultJson.create(options(file), "w");
    json.ready(Map.of("rest", "http://127.0.0.1:1"));
    json.finished(OUTCOME);

    JsonNode read = JsonMapper.shared().readTree(file);

    assertThat(read.path("state").asString()).isEqualTo("finished");
    assertThat(read.path("rest").asString()).isEqualTo("http://127.0.0.1:1");
    assertThat(read.path("requests").asLong()).isEqualTo(1_500);
    assertThat(read.path("chunks").asLong()).isEqualTo(41_702);
    assertThat(read.path("local_hits").asLong()).isEqualTo(1_974);
    assertThat(read.path("peer_hits").asLong()).isEqualTo(1_394);
    assertThat(read.path("misses").asLong()).isEqualTo(38_334);
    assertThat(read.path("not_stored").asLong()).isEqualTo(2);
    assertThat(read.path("evictions").asLong()).isEqualTo(35_728);
    assertThat(read.path("resident").asLong()).isEqualTo(4_000);
    assertThat(read.path("pull_millis").path("p99").asDouble()).isEqualTo(9.0);
    assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void json_placeThatCannotBeWritten_isKnownAtOnce() {
    Path file = folder.resolve("missing").resolve("out.json");

    assertThatThrownBy(() -> ResultJson.create(options(file), "w"))
        .isInstanceOf(QuickstartException.class)
        .hasMessageContaining("(--json)")
        .hasMessageContaining("no such file or folder");
  }

  @Test
  void json_noFileAskedFor_writesNothing() throws Exception {
    ResultJson.create(options(null), "w").finished(OUTCOME);

    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void table_hasEveryFigure() {
    assertThat(ResultTable.format(options(null), "a trace", OUTCOME))
        .contains("a trace: 4 workers, room for 1,000 chunks of 65,536 bytes each, lru")
        .containsPattern("local hits +1,974 +4.7 %")
        .containsPattern("peer hits +1,394 +3.3 %")
        .containsPattern("misses +38,334 +91.9 %")
        .containsPattern("evictions +35,728")
        .containsPattern("bytes pulled +91,357,184")
        .containsPattern("bodies checked +3,368 +all right")
        .containsPattern("lookup +1.00 ms +2.50 ms +1,500")
        .containsPattern("pull +4.00 ms +9.00 ms +300")
        .containsPattern("event lag +3.00 ms +8.00 ms +1,400");
  }

  private static Options options(@Nullable Path json) {
    return new Options(
        null,
        1,
        4,
        1_000,
        Policy.LRU,
        null,
        65_536,
        json,
        null,
        null,
        Ports.ANY,
        false,
        false,
        List.of());
  }
}

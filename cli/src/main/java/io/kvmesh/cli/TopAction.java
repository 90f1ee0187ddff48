package io.kvmesh.cli;

import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Workers, again and again, with what changed since the look before. */
@Command(
    name = "top",
    description = "Shows workers again and again until Ctrl-C, with their operations a second.")
final class TopAction extends Action {

  /** Cursor to the top, and all below it gone. */
  private static final String CLEAR = "\033[H\033[J";

  private static final double MILLIS_A_SECOND = 1000;

  @Option(
      names = "--interval",
      paramLabel = "MILLIS",
      defaultValue = "2000",
      description = "between two looks (default ${DEFAULT-VALUE})")
  private int intervalMillis;

  @Option(names = "--looks", paramLabel = "N", description = "ends after so many; 0 = never")
  private int looks;

  /** Sequence of each worker's life at the look before. */
  private Map<String, Long> before = new HashMap<>();

  private long beforeNanos;

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    for (int look = 1; ; look++) {
      JsonNode answer = connection.ask(api -> api.get("/api/v1/workers"));
      long now = System.nanoTime();
      connection.print(answer, () -> CLEAR + table(answer, now));
      remember(answer, now);
      if (look == looks) {
        return GOOD;
      }
      pause(intervalMillis);
    }
  }

  private void remember(JsonNode answer, long now) {
    Map<String, Long> sequences = new HashMap<>();
    answer
        .path("workers")
        .forEach(worker -> sequences.put(life(worker), worker.path("sequence").asLong(0)));
    before = sequences;
    beforeNanos = now;
  }

  private Table table(JsonNode answer, long now) {
    double millis = (now - beforeNanos) / 1e6;
    return Table.of(
        answer.path("workers"),
        Table.Column.of("INSTANCE", "instanceId"),
        Table.Column.of("RANK", "rank"),
        new Table.Column("STATE", WorkersAction::state),
        Table.Column.of("CHUNKS", "chunks"),
        new Table.Column("OPS/S", it -> rate(it, millis)),
        Table.Column.of("LAG", "lag.records"),
        new Table.Column("HEARTBEAT", it -> Text.age(it.path("heartbeatAgeMillis"))));
  }

  private String rate(JsonNode worker, double millis) {
    Long sequence = before.get(life(worker));
    return sequence == null || millis <= 0
        ? "-"
        : "%.1f"
            .formatted((worker.path("sequence").asLong(0) - sequence) * MILLIS_A_SECOND / millis);
  }

  private static String life(JsonNode worker) {
    return "%s/%s/%s"
        .formatted(
            Table.text(worker.path("instanceId")),
            Table.text(worker.path("rank")),
            Table.text(worker.path("epoch")));
  }
}

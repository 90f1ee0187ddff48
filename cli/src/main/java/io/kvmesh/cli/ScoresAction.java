package io.kvmesh.cli;

import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** How much of a prompt each instance holds. */
@Command(
    name = "scores",
    description = "Tells how much of a prompt each instance holds, over all its ranks, best first.")
final class ScoresAction extends Action {

  @Mixin private Chunks.Asked chunks = new Chunks.Asked();

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    JsonNode answer =
        connection.ask(api -> api.post("/api/v1/scores", chunks.request(), Duration.ZERO));
    connection.print(answer, () -> table(answer.path("instances")));
    return GOOD;
  }

  private static Table table(JsonNode instances) {
    return Table.of(
        instances,
        Table.Column.of("INSTANCE", "instanceId"),
        Table.Column.of("SCORE", "score"),
        Table.Column.of("CHUNKS", "chunks"),
        Table.Column.of("TOKENS", "tokens"),
        Table.Column.of("STATE", "state"),
        Table.Column.of("MISSING RANKS", "missingRanks"),
        new Table.Column("HEARTBEAT", it -> Text.age(it.path("heartbeatAgeMillis"))));
  }
}

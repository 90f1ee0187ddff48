package io.kvmesh.cli;

import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Where each chunk is. */
@Command(name = "holders", description = "Lists for each chunk every worker that holds it.")
final class HoldersAction extends Action {

  @Mixin private Chunks.Asked chunks = new Chunks.Asked();

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    JsonNode answer =
        connection.ask(api -> api.post("/api/v1/holders", chunks.request(), Duration.ZERO));
    connection.print(answer, () -> table(answer.path("chunks")));
    return GOOD;
  }

  private static Table table(JsonNode chunks) {
    Table table = new Table("HASH", "KEYSPACE", "INSTANCE", "RANK", "LOCATION");
    for (JsonNode chunk : chunks) {
      String hash = Table.text(chunk.path("hash"));
      if (chunk.path("holders").isEmpty()) {
        table.row(hash, "-", "-", "-", "-");
      }
      for (JsonNode holder : chunk.path("holders")) {
        table.row(
            hash,
            Table.text(holder.path("keyspace")),
            Table.text(holder.path("instanceId")),
            Table.text(holder.path("rank")),
            Table.text(holder.path("location")));
      }
    }
    return table;
  }
}

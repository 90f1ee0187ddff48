package io.kvmesh.cli;

import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** How many chunks there are, by keyspace and by worker. */
@Command(name = "keys", description = "Counts chunks by keyspace and by worker.")
final class KeysAction extends Action {

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    JsonNode answer = connection.ask(api -> api.get("/api/v1/keys/stats"));
    connection.print(answer, () -> tables(answer));
    return GOOD;
  }

  private static String tables(JsonNode answer) {
    Table keyspaces =
        Table.of(
            answer.path("keyspaces"),
            Table.Column.of("KEYSPACE", "keyspace"),
            Table.Column.of("CHUNKS", "placements"));
    Table workers =
        Table.of(
            answer.path("perWorker"),
            Table.Column.of("INSTANCE", "instanceId"),
            Table.Column.of("RANK", "rank"),
            Table.Column.of("CHUNKS", "chunks"),
            Table.Column.of("DIGEST", "digest"));
    return keyspaces + "\n" + workers;
  }
}

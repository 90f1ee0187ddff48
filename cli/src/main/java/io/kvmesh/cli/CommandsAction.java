package io.kvmesh.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Commands under way and those that were over lately. */
@Command(
    name = "commands",
    description = "Lists commands under way and over lately; with an id, what became of one.")
final class CommandsAction extends Action {

  @Parameters(arity = "0..1", paramLabel = "ID", description = "of one command")
  private String id = "";

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    if (id.isEmpty()) {
      JsonNode answer = connection.ask(api -> api.get("/api/v1/commands"));
      connection.print(answer, () -> table(answer.path("commands")));
      return GOOD;
    }
    String path = "/api/v1/commands/" + URLEncoder.encode(id, StandardCharsets.UTF_8);
    JsonNode answer = connection.seek(api -> api.get(path));
    connection.print(answer, () -> WorkerActions.result(answer));
    return WorkerActions.status(answer);
  }

  private static Table table(JsonNode commands) {
    return Table.of(
        commands,
        Table.Column.of("ID", "id"),
        Table.Column.of("COMMAND", "command"),
        Table.Column.of("INSTANCE", "instanceId"),
        Table.Column.of("STATE", "state"),
        Table.Column.of("TOKENS", "tokens"),
        new Table.Column("STARTED", it -> time(it.path("startedMillis"))));
  }

  private static String time(JsonNode millis) {
    return Instant.ofEpochMilli(millis.asLong()).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}

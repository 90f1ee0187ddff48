package io.kvmesh.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** All workers, or those of an instance. */
@Command(
    name = "workers",
    description =
        "Lists workers: state, epoch, chunks, how far the index is behind, where they run.")
final class WorkersAction extends Action {

  @Parameters(arity = "0..1", paramLabel = "INSTANCE", description = "only this one's")
  private String instance = "";

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    String query =
        instance.isEmpty()
            ? ""
            : "?instanceId=" + URLEncoder.encode(instance, StandardCharsets.UTF_8);
    JsonNode answer = connection.ask(api -> api.get("/api/v1/workers" + query));
    connection.print(answer, () -> table(answer.path("workers")));
    return GOOD;
  }

  /** And whether it is drained. */
  static String state(JsonNode worker) {
    String drain = worker.path("drain").asString("");
    String state = Table.text(worker.path("state"));
    return drain.isEmpty() ? state : state + " " + Text.words(drain);
  }

  /** As it was named, else where the controller reaches it. */
  private static String host(JsonNode announcement) {
    String named = announcement.at("/topology/host").asString("");
    return named.isEmpty() ? Table.text(announcement.path("ip")) : named;
  }

  private static String place(JsonNode topology) {
    String zone = Table.text(topology.path("zone"));
    String rack = Table.text(topology.path("rack"));
    return rack.equals("-") ? zone : zone + "/" + rack;
  }

  static Table table(JsonNode workers) {
    return Table.of(
        workers,
        Table.Column.of("INSTANCE", "instanceId"),
        Table.Column.of("RANK", "rank"),
        new Table.Column("STATE", WorkersAction::state),
        Table.Column.of("EPOCH", "epoch"),
        Table.Column.of("SEQUENCE", "sequence"),
        Table.Column.of("CHUNKS", "chunks"),
        Table.Column.of("GAPS", "gaps"),
        Table.Column.of("LAG", "lag.records"),
        new Table.Column("HEARTBEAT", it -> Text.age(it.path("heartbeatAgeMillis"))),
        new Table.Column("CLOCK", it -> Text.age(it.path("clockAheadMillis"))),
        Table.Column.of("VERSION", "announcement.version"),
        new Table.Column("HOST", it -> host(it.path("announcement"))),
        new Table.Column("ZONE/RACK", it -> place(it.path("announcement").path("topology"))),
        new Table.Column("DIFFERS IN", it -> Table.text(it.path("mismatch").path("fields"))));
  }
}

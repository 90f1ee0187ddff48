package io.kvmesh.cli;

import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Each controller at a glance. */
@Command(
    name = "status",
    description =
        "Shows each controller at a glance: health, workers, chunks, lag. Status 1 unless all are"
            + " up.")
final class StatusAction extends Action {

  private static final String UP = "UP";

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    ArrayNode controllers = JsonMapper.shared().createArrayNode();
    ApiException.Unreachable last = null;
    for (Api api : connection.controllers()) {
      ObjectNode controller = controllers.addObject().put("url", api.url());
      try {
        controller.set("version", api.get("/version"));
        controller.set("health", api.look("/actuator/health").body());
        controller.set("instances", api.get("/api/v1/instances").path("instances"));
      } catch (ApiException.Unreachable e) {
        controller.put("error", e.getMessage());
        controller.put("untrusted", e.certificate() != null);
        last = e;
      }
    }
    if (last != null && controllers.valueStream().allMatch(it -> it.has("error"))) {
      throw last;
    }
    connection.print(controllers, () -> table(controllers));
    return controllers.valueStream().allMatch(StatusAction::isUp) ? GOOD : BAD;
  }

  private static boolean isUp(JsonNode controller) {
    return controller.at("/health/status").asString("").equals(UP);
  }

  private static Table table(JsonNode controllers) {
    return Table.of(
        controllers,
        Table.Column.of("CONTROLLER", "url"),
        Table.Column.of("VERSION", "version"),
        new Table.Column("INDEX", it -> state(it, "index")),
        new Table.Column("KAFKA", it -> state(it, "kafka")),
        new Table.Column("REDIS", it -> state(it, "redis")),
        Table.Column.of("LAG", "health.components.index.details.lagRecords"),
        new Table.Column("LIVE", it -> sum(it, "live")),
        new Table.Column("SUSPECT", it -> sum(it, "suspect")),
        new Table.Column("SILENT", it -> sum(it, "silent")),
        new Table.Column("DRAINED", it -> sum(it, "drained")),
        new Table.Column("CHUNKS", it -> sum(it, "chunks")));
  }

  private static String state(JsonNode controller, String part) {
    if (controller.has("error")) {
      String why = controller.path("untrusted").asBoolean() ? "not trusted" : "unreachable";
      return part.equals("index") ? why : "-";
    }
    JsonNode status = controller.at("/health/components/" + part + "/status");
    return Text.words(status.asString("-"));
  }

  private static String sum(JsonNode controller, String field) {
    JsonNode instances = controller.path("instances");
    return instances.isMissingNode()
        ? "-"
        : Long.toString(instances.valueStream().mapToLong(it -> it.path(field).asLong(0)).sum());
  }
}

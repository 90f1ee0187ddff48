package io.kvmesh.cli;

import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Who holds the longest prefix of a prompt. */
@Command(
    name = "lookup",
    description =
        "Finds the holders of the longest prefix, best first, as a worker would get them.")
final class LookupAction extends Action {

  @Mixin private Chunks.Asked chunks = new Chunks.Asked();

  @Option(
      names = "--asker",
      paramLabel = "INSTANCE",
      description = "who asks; an instance is not told of itself")
  private String asker = "";

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    ObjectNode request = chunks.request();
    if (!asker.isEmpty()) {
      request.put("instanceId", asker);
    }
    JsonNode answer = connection.ask(api -> api.post("/api/v1/lookup", request, Duration.ZERO));
    connection.print(answer, () -> table(answer.path("holders")));
    return GOOD;
  }

  private static Object table(JsonNode holders) {
    return holders.isEmpty()
        ? "nobody holds the first chunk\n"
        : Table.of(
            holders,
            Table.Column.of("INSTANCE", "instanceId"),
            Table.Column.of("RANK", "rank"),
            Table.Column.of("LOCATION", "location"),
            Table.Column.of("CHUNKS", "chunks"),
            Table.Column.of("TOKENS", "tokens"),
            Table.Column.of("PEER", "peerInitUrl"));
  }
}

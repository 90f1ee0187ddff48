package io.kvmesh.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Ends a prefetch or a drain, which is good also if it had not come to its end. */
@Command(name = "cancel", description = "Ends a prefetch or a drain; what it has brought stays.")
final class CancelAction extends Action {

  @Parameters(paramLabel = "ID", description = "of the command")
  private String id = "";

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "for its end (default ${DEFAULT-VALUE})")
  private int waitSeconds;

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    Duration wait = Duration.ofSeconds(Math.max(0, waitSeconds));
    String path =
        "/api/v1/commands/%s?waitMillis=%d"
            .formatted(URLEncoder.encode(id, StandardCharsets.UTF_8), wait.toMillis());
    JsonNode answer = connection.seek(api -> api.delete(path, wait));
    connection.print(answer, () -> WorkerActions.result(answer));
    return answer.path("state").asString("").equals("RUNNING") ? BAD : GOOD;
  }
}

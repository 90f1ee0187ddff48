package io.kvmesh.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds out what is wrong, and says what to change. */
@Command(
    name = "doctor",
    description =
        "Finds what is wrong with controllers, Kafka, Redis, the log, workers and their settings,"
            + " and says what to change. Status 1 if there is a trouble or a warning.")
final class DoctorAction extends Action {

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "25",
      description = "for a worker that a controller asks how it is (default ${DEFAULT-VALUE})")
  private int waitSeconds;

  @Option(
      names = "--no-connect",
      description = "opens no connection from here to the workers' peer addresses")
  private boolean noConnect;

  @Option(
      names = "--no-reach",
      description = "has agents open no connections to each other to see whether they can")
  private boolean noReach;

  @Override
  int run(Connection connection) throws ApiException, InterruptedException {
    List<Finding> found = new ArrayList<>();
    List<Survey> surveys = new ArrayList<>();
    Duration wait = Duration.ofSeconds(Math.max(1, waitSeconds));
    for (Api api : connection.controllers()) {
      try {
        boolean first = surveys.isEmpty();
        surveys.add(Survey.of(api, wait));
        if (first && !noReach) {
          found.addAll(PeerChecks.of(api, surveys.getFirst().workers(), wait));
        }
      } catch (ApiException e) {
        found.add(ControllerChecks.unreachable(e, api.url()));
      }
    }
    examine(connection, surveys, found);
    List<Finding> sorted =
        new LinkedHashSet<>(found)
            .stream().sorted(Comparator.comparing(Finding::severity)).toList();
    connection.print(json(sorted), () -> text(sorted, surveys));
    return surveys.isEmpty() ? UNREACHABLE : status(sorted);
  }

  private void examine(Connection connection, List<Survey> surveys, List<Finding> found) {
    for (Survey survey : surveys) {
      found.addAll(ControllerChecks.of(survey));
      found.addAll(CertificateChecks.of(survey));
      found.addAll(FleetChecks.of(survey));
      found.addAll(AgentChecks.versions(survey));
      found.addAll(ReachChecks.byController(survey));
    }
    if (!surveys.isEmpty()) {
      found.addAll(FleetChecks.between(surveys));
    }
    found.addAll(AgentChecks.clocks(surveys));
    if (!noConnect) {
      found.addAll(ReachChecks.fromHere(surveys, connection.timeout()));
    }
  }

  private static int status(List<Finding> found) {
    return found.stream().allMatch(it -> it.severity() == Finding.Severity.NOTE) ? GOOD : BAD;
  }

  private static String text(List<Finding> found, List<Survey> surveys) {
    long workers =
        surveys.stream().flatMap(it -> it.workers().stream()).map(Survey::name).distinct().count();
    return found.stream().map(Finding::toString).collect(Collectors.joining())
        + "%s and %s examined: %s%n"
            .formatted(
                Text.count(surveys.size(), "controller"),
                Text.count(workers, "worker"),
                found.isEmpty() ? "nothing is wrong" : count(found));
  }

  private static String count(List<Finding> found) {
    List<String> counts = new ArrayList<>();
    for (Finding.Severity severity : Finding.Severity.values()) {
      counts.add(
          Text.count(
              found.stream().filter(it -> it.severity() == severity).count(),
              Text.words(severity.name())));
    }
    return String.join(", ", counts);
  }

  private static JsonNode json(List<Finding> found) {
    ObjectNode answer = JsonMapper.shared().createObjectNode();
    ArrayNode findings = answer.putArray("findings");
    found.forEach(
        it ->
            findings
                .addObject()
                .put("severity", it.severity().name())
                .put("where", it.where())
                .put("what", it.what())
                .put("meaning", it.meaning())
                .put("change", it.change()));
    return answer;
  }
}

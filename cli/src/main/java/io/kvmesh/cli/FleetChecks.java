package io.kvmesh.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** What is wrong with workers, and what doesn't agree between them and controllers. */
final class FleetChecks {

  private static final String AGENT = "AGENT";

  /** A setting at the workers, and where the controller tells its own. */
  private record Shared(String announced, String atWorkers, String told, String atController) {}

  private static final List<Shared> SHARED =
      List.of(
          new Shared(
              "chunkTokens",
              "kvmesh.model.chunk-tokens",
              "chunkTokens",
              "kvmesh.hash.chunk-tokens"),
          new Shared(
              "hashAlgorithm", "kvmesh.model.hash-algorithm", "algorithm", "kvmesh.hash.algorithm"),
          new Shared("hashSeed", "kvmesh.model.hash-seed", "seed", "kvmesh.hash.seed"));

  private FleetChecks() {}

  /** What one controller knows of its workers. */
  static List<Finding> of(Survey survey) {
    List<Finding> found = new ArrayList<>();
    for (JsonNode worker : survey.workers()) {
      state(worker, found);
      mismatch(worker, found);
      drain(worker, found);
    }
    survey.writtenOff().forEach(worker -> writtenOff(worker, found));
    SHARED.forEach(shared -> compare(shared, survey, found));
    addresses(survey.workers(), found);
    return found;
  }

  private static void state(JsonNode worker, List<Finding> found) {
    String name = Survey.name(worker);
    switch (worker.path("state").asString("")) {
      case "SILENT" ->
          found.add(
              Finding.trouble(
                  name,
                  "silent: its last heartbeat in the log is %s old"
                      .formatted(Text.age(worker.path("heartbeatAgeMillis"))),
                  "it is not offered to others, and dropped if it stays silent",
                  "see whether its process runs and reaches Kafka"
                      + " (kvmesh.kafka.bootstrap-servers); start it again if it is gone"));
      case "SUSPECT" ->
          found.add(
              Finding.warning(
                  name,
                  "suspect: events of it are missing (%s gaps)"
                      .formatted(Table.text(worker.path("gaps"))),
                  "lookups may be wrong about its chunks until its next snapshot; no wrong bytes"
                      + " come of it",
                  "wait for the snapshot; if it stays so, its event queue overflows: see"
                      + " kvmesh_agent_log_dropped_total of the agent"));
      default -> {
        if (worker.path("gaps").asLong(0) > 0) {
          found.add(
              Finding.note(
                  name,
                  Table.text(worker.path("gaps")) + " gaps in its events, healed since",
                  "hits were missed meanwhile",
                  "nothing, unless the number rises"));
        }
      }
    }
  }

  private static void drain(JsonNode worker, List<Finding> found) {
    String name = Survey.name(worker);
    switch (worker.path("drain").asString("")) {
      case "DRAINING" ->
          found.add(
              Finding.note(
                  name,
                  "is being drained: it hands its hot chunks over to others",
                  "it serves on, keeps what it has and takes nothing from others that are drained;"
                      + " told to end by a signal, it goes after that",
                  "nothing; if it is to stay, kvmesh undrain %s"
                      .formatted(worker.path("instanceId").asString(""))));
      case "DRAINED" ->
          found.add(
              Finding.note(
                  name,
                  "was drained",
                  "it serves on as before, but takes nothing from others that are drained; what its"
                      + " engine stored since is on it alone",
                  "take it out of service; if it is to stay, kvmesh undrain %s"
                      .formatted(worker.path("instanceId").asString(""))));
      default -> {}
    }
  }

  private static void writtenOff(JsonNode worker, List<Finding> found) {
    Instant since =
        Instant.ofEpochMilli(worker.path("writtenOffMillis").asLong(0))
            .truncatedTo(ChronoUnit.SECONDS);
    found.add(
        Finding.trouble(
            Survey.name(worker),
            "was written off at %s after a long silence and isn't back; its peer address was %s"
                .formatted(since, Table.text(worker.path("peerInitUrl"))),
            "what only it had is computed anew, and its engine, if it still runs, finds nothing at"
                + " others",
            "start it again if it is gone; if it runs, see whether it reaches Kafka"
                + " (kvmesh.kafka.bootstrap-servers); if it is gone for good, nothing: it is"
                + " forgotten after an hour"));
  }

  private static void mismatch(JsonNode worker, List<Finding> found) {
    JsonNode mismatch = worker.path("mismatch");
    if (mismatch.isObject()) {
      found.add(
          Finding.trouble(
              Survey.name(worker),
              "announces another %s than %s and most of its model"
                  .formatted(
                      Table.text(mismatch.path("fields")), Table.text(mismatch.path("reference"))),
              "its chunks are of no use to the others and are never offered",
              "make its kvmesh.model.* the same as the others'"));
    }
  }

  private static void compare(Shared shared, Survey survey, List<Finding> found) {
    String own = Table.text(survey.info().path("hash").path(shared.told()));
    Map<String, Set<String>> others = new TreeMap<>();
    for (JsonNode worker : survey.workers()) {
      JsonNode announced = worker.path("announcement").path(shared.announced());
      if (isAgent(worker) && !announced.isNull() && !Table.text(announced).equals(own)) {
        others
            .computeIfAbsent(Table.text(announced), it -> new TreeSet<>())
            .add(Survey.name(worker));
      }
    }
    others.forEach(
        (value, workers) ->
            found.add(
                Finding.warning(
                    survey.url(),
                    "has %s=%s, but %s=%s at %s"
                        .formatted(
                            shared.atController(),
                            own,
                            shared.atWorkers(),
                            value,
                            String.join(", ", workers)),
                    "who names chunks by tokens finds nothing there; hashes and keys are not"
                        + " concerned",
                    "set %s=%s at the controller, or the other at these workers"
                        .formatted(shared.atController(), value))));
  }

  private static boolean isAgent(JsonNode worker) {
    return worker.path("announcement").path("kind").asString("").equals(AGENT);
  }

  private static void addresses(List<JsonNode> workers, List<Finding> found) {
    Map<String, Set<String>> users = new TreeMap<>();
    for (JsonNode worker : workers) {
      String peer = worker.path("announcement").path("peerInitUrl").asString("");
      if (!peer.isEmpty()) {
        users.computeIfAbsent(peer, it -> new TreeSet<>()).add(Survey.name(worker));
      }
    }
    users.forEach(
        (peer, names) -> {
          if (names.size() > 1) {
            found.add(
                Finding.trouble(
                    String.join(", ", names),
                    "announce the same peer address " + peer,
                    "who pulls from one of them gets to the other",
                    "give each its own kvmesh.peer.init-bind or kvmesh.peer.advertised-host"));
          }
        });
  }

  /** In what controllers differ from the first of them. */
  static List<Finding> between(List<Survey> surveys) {
    List<Finding> found = new ArrayList<>();
    for (Survey survey : surveys.stream().skip(1).toList()) {
      between(surveys.getFirst(), survey, found);
    }
    return found;
  }

  private static void between(Survey first, Survey other, List<Finding> found) {
    String versions = version(first) + ", not " + version(other);
    if (!version(first).equals(version(other))) {
      found.add(
          Finding.warning(
              other.url(),
              "%s is of version %s".formatted(first.url(), versions),
              "a later version may write what an earlier one passes over",
              "run the same version everywhere, controllers first"));
    }
    if (!first.info().path("hash").equals(other.info().path("hash"))) {
      found.add(
          Finding.trouble(
              other.url(),
              "has other kvmesh.hash.* than " + first.url(),
              "the same tokens are answered differently by the two",
              "make kvmesh.hash.algorithm, kvmesh.hash.seed and kvmesh.hash.chunk-tokens the"
                  + " same"));
    }
    Set<String> unknown = names(first);
    unknown.removeAll(names(other));
    Set<String> surplus = names(other);
    surplus.removeAll(names(first));
    if (!unknown.isEmpty() || !surplus.isEmpty()) {
      found.add(
          Finding.trouble(
              other.url(),
              "knows other workers than %s: it lacks [%s] and has [%s] more"
                  .formatted(first.url(), String.join(", ", unknown), String.join(", ", surplus)),
              "the two answer lookups differently",
              "give both the same kvmesh.cluster and kvmesh.kafka.bootstrap-servers; if they have,"
                  + " ask again once both have read the log to its end"));
    }
  }

  private static String version(Survey survey) {
    return Table.text(survey.info().path("build").path("version"));
  }

  private static Set<String> names(Survey survey) {
    return new TreeSet<>(survey.workers().stream().map(Survey::name).toList());
  }
}

package io.kvmesh.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Which agents can't reach which, as they say themselves: each instance is asked through a
 * controller to try those that it would pull from, so that each way is tried from both its ends.
 */
final class PeerChecks {

  /** Instances that are asked; of more not all ways are tried. */
  private static final int MOST_INSTANCES = 64;

  private static final String REACHED = "REACHED";

  /** One agent's attempt to reach another. */
  private record Attempt(String from, String to, String peer, String outcome, String reason) {}

  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Finding> found = new ArrayList<>();

  /** Who did not try its peers, by the reason. */
  private final Map<String, Set<String>> silent = new TreeMap<>();

  private PeerChecks() {}

  /** Asks the agents that a controller knows, and tells what they found. */
  static List<Finding> of(Api api, List<JsonNode> workers, Duration wait)
      throws InterruptedException {
    Map<String, String> names = new TreeMap<>();
    Set<String> instances = new TreeSet<>();
    for (JsonNode worker : workers) {
      JsonNode told = worker.path("announcement");
      if (told.path("kind").asString("").equals("AGENT")) {
        names.putIfAbsent(told.path("peerInitUrl").asString(""), Survey.name(worker));
        instances.add(worker.path("instanceId").asString());
      }
    }
    PeerChecks checks = new PeerChecks();
    if (instances.size() > 1) {
      List<String> some = instances.stream().limit(MOST_INSTANCES).toList();
      Survey.askAll(api, "reach", some, wait)
          .forEach((instance, command) -> checks.take(instance, command, names));
      checks.leftOut(api, instances.size());
      checks.judge();
    }
    return checks.found;
  }

  private void leftOut(Api api, int instances) {
    if (instances > MOST_INSTANCES) {
      found.add(
          Finding.note(
              api.url(),
              "of %d instances only %d were asked to reach others"
                  .formatted(instances, MOST_INSTANCES),
              "a way that is closed between others isn't found",
              "ask others by kvmesh reach INSTANCE"));
    }
  }

  private void take(String instance, JsonNode command, Map<String, String> names) {
    if (command.has("error")) {
      notTold(instance, command.path("error").asString());
    }
    for (JsonNode worker : command.path("workers")) {
      String from = instance + "/" + Table.text(worker.path("rank"));
      if (worker.path("status").asString("").equals("REFUSED")) {
        notTold(from, Table.text(worker.path("error")));
      }
      for (JsonNode peer : worker.path("peers")) {
        String address = peer.path("peerInitUrl").asString("");
        attempts.add(
            new Attempt(
                from,
                names.getOrDefault(address, address),
                address,
                peer.path("outcome").asString(""),
                Table.text(peer.path("reason"))));
      }
    }
  }

  private void notTold(String where, String error) {
    silent.computeIfAbsent(error, it -> new TreeSet<>()).add(where);
  }

  private static Finding notTold(Set<String> where, String error) {
    return Finding.note(
        String.join(", ", where),
        "not asked to reach the peers, or refused: " + error,
        "whether the others are reached from there isn't known",
        "ask with a token that may operate; an agent of an earlier version doesn't know the"
            + " question, upgrade it");
  }

  /** One finding for all that fail to reach one peer in the same way. */
  private void judge() {
    silent.forEach((error, where) -> found.add(notTold(where, error)));
    Map<String, List<Attempt>> failed = new TreeMap<>();
    for (Attempt attempt : attempts) {
      if (!attempt.outcome.equals(REACHED)) {
        failed
            .computeIfAbsent(attempt.to + " " + attempt.outcome, it -> new ArrayList<>())
            .add(attempt);
      }
    }
    failed.values().forEach(these -> found.add(closed(these)));
  }

  private Finding closed(List<Attempt> these) {
    Attempt first = these.getFirst();
    return Finding.trouble(
        first.to,
        "%s can't reach it at its peer address %s: %s (%s); %s"
            .formatted(
                String.join(", ", new TreeSet<>(these.stream().map(Attempt::from).toList())),
                first.peer,
                Text.words(first.outcome),
                first.reason,
                otherWay(these)),
        "they pull nothing from it: what only it has is computed anew",
        change(first.outcome));
  }

  /** Of the same pairs. */
  private String otherWay(List<Attempt> these) {
    int tried = 0;
    int open = 0;
    for (Attempt way : these) {
      Optional<Attempt> back =
          attempts.stream()
              .filter(it -> it.from.equals(way.to) && it.to.equals(way.from))
              .findFirst();
      tried += back.isPresent() ? 1 : 0;
      open += back.filter(it -> it.outcome.equals(REACHED)).isPresent() ? 1 : 0;
    }
    if (tried == 0) {
      return "whether it reaches them isn't known";
    }
    return open == 0 ? "nor does it reach them" : "it reaches %d of them".formatted(open);
  }

  private static String change(String outcome) {
    return switch (outcome) {
      case "REFUSED" ->
          "start it if it is gone; else correct its kvmesh.peer.init-bind or"
              + " kvmesh.peer.advertised-host";
      case "UNKNOWN_HOST" ->
          "advertise a name or an address that all agents know: its kvmesh.peer.advertised-host";
      case "NO_HANDSHAKE" ->
          "let agents through to each other's 8201, too; see that all have the same"
              + " kvmesh.security.key-file, or none, and the same kvmesh.model.*";
      default ->
          "let agents through to each other's 8200 and 8201 (network policy, firewall), or correct"
              + " its kvmesh.peer.advertised-host";
    };
  }
}

package io.kvmesh.cli;

import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Versions and clocks of agents. Those of workers that don't tell them aren't known. */
final class AgentChecks {

  private static final Duration CLOCKS_APART = Duration.ofSeconds(5);

  private AgentChecks() {}

  /** Agents of another version than the controller. */
  static List<Finding> versions(Survey survey) {
    String own = survey.info().path("build").path("version").asString("");
    Map<String, Set<String>> others = new TreeMap<>();
    for (JsonNode worker : survey.workers()) {
      String version = worker.path("announcement").path("version").asString("");
      if (!version.isEmpty() && !version.equals(own)) {
        others.computeIfAbsent(version, it -> new TreeSet<>()).add(Survey.name(worker));
      }
    }
    List<Finding> found = new ArrayList<>();
    if (!own.isEmpty()) {
      others.forEach((version, agents) -> found.add(another(survey.url(), own, version, agents)));
    } else if (others.size() > 1) {
      found.add(several(others));
    }
    return found;
  }

  private static Finding another(String url, String own, String version, Set<String> agents) {
    String what = "version %s, while %s has %s".formatted(version, url, own);
    String where = String.join(", ", agents);
    return isLater(version, own)
        ? Finding.warning(
            where,
            what,
            "a later version may write what the controller passes over: these agents' chunks would"
                + " not be found",
            "upgrade the controllers first; what doesn't fit shows in GET /api/v1/log/rejected")
        : Finding.note(
            where,
            what,
            "it is read as it is, and chunks move between versions unless their handshakes differ",
            "upgrade these agents, too, once all controllers have " + own);
  }

  private static boolean isLater(String version, String other) {
    try {
      return Version.parse(version).compareTo(Version.parse(other)) > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Finding several(Map<String, Set<String>> versions) {
    return Finding.note(
        "agents",
        "several versions: " + versions,
        "chunks move between versions unless their handshakes differ",
        "bring all to the same version");
  }

  /** Agents whose clock isn't Kafka's. What several controllers know of an agent is said once. */
  static List<Finding> clocks(List<Survey> surveys) {
    Map<String, Long> apart = new TreeMap<>();
    for (Survey survey : surveys) {
      for (JsonNode worker : survey.workers()) {
        long ahead = worker.path("clockAheadMillis").asLong(0);
        if (Math.abs(ahead) > CLOCKS_APART.toMillis()) {
          apart.putIfAbsent(Survey.name(worker), ahead);
        }
      }
    }
    if (apart.isEmpty()) {
      return List.of();
    }
    List<String> clocks = new ArrayList<>();
    apart.forEach(
        (name, ahead) ->
            clocks.add(
                "%s %d s %s"
                    .formatted(name, Math.abs(ahead) / 1000, ahead < 0 ? "behind" : "ahead")));
    return List.of(
        Finding.warning(
            String.join(", ", apart.keySet()),
            "clocks differ from Kafka's: " + String.join(", ", clocks),
            "nothing in kvmesh compares clocks, but times in logs and metrics mislead; a heartbeat"
                + " that was so long on its way looks like a clock behind",
            "have these nodes keep time by NTP, or the brokers if all agents are named; if an agent"
                + " is behind, ask again after its next heartbeat"));
  }
}

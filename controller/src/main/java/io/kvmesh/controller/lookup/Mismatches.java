package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds agents of one model that can't help each other. Chunks of such agents never meet in a
 * lookup (another hash seed gives other hashes), so this compares what they announce. Foreign
 * workers announce nothing to compare.
 */
public final class Mismatches {

  private Mismatches() {}

  /**
   * The odd ones of each model, compared with the parameters that most of its agents announce; of
   * equally many, with those of the first registered.
   *
   * @param workers in order of registration
   */
  public static Map<WorkerId, Mismatch> among(List<WorkerView> workers) {
    Map<String, List<Agent>> byModel = new LinkedHashMap<>();
    for (WorkerView worker : workers) {
      Announcement announcement = worker.announcement();
      if (announcement != null
          && announcement.kind() == WorkerKind.AGENT
          && announcement.model() != null) {
        byModel
            .computeIfAbsent(announcement.model(), model -> new ArrayList<>())
            .add(new Agent(worker.id(), announcement));
      }
    }
    Map<WorkerId, Mismatch> found = new LinkedHashMap<>();
    byModel.values().forEach(agents -> compare(agents, found));
    return found;
  }

  @SuppressWarnings("ReferenceEquality") // the very agent that the others are held against
  private static void compare(List<Agent> agents, Map<WorkerId, Mismatch> found) {
    Agent reference = mostCommon(agents);
    for (Agent agent : agents) {
      List<String> fields =
          AnnouncementMatch.differences(agent.announcement, reference.announcement);
      if (agent != reference && !fields.isEmpty()) {
        found.put(agent.id, new Mismatch(reference.id, fields));
      }
    }
  }

  private static Agent mostCommon(List<Agent> agents) {
    Map<Parameters, List<Agent>> groups = new LinkedHashMap<>();
    for (Agent agent : agents) {
      groups
          .computeIfAbsent(Parameters.of(agent.announcement), parameters -> new ArrayList<>())
          .add(agent);
    }
    List<Agent> largest = agents.subList(0, 1);
    for (List<Agent> group : groups.values()) {
      if (group.size() > largest.size()) {
        largest = group;
      }
    }
    return largest.getFirst();
  }

  private record Agent(WorkerId id, Announcement announcement) {}

  /** What must be equal; channels are left out, since one in common is enough. */
  private record Parameters(
      @Nullable String dtype,
      @Nullable Integer chunkTokens,
      @Nullable Long pageBytes,
      @Nullable String memoryFormat,
      @Nullable String hashAlgorithm,
      @Nullable String hashSeed) {

    static Parameters of(Announcement announcement) {
      return new Parameters(
          announcement.dtype(),
          announcement.chunkTokens(),
          announcement.pageBytes(),
          announcement.memoryFormat(),
          announcement.hashAlgorithm(),
          announcement.hashSeed());
    }
  }
}

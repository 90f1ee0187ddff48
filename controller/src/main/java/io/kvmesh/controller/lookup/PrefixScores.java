package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.index.PrefixMatch;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How much of a prompt each instance holds, for a router that chooses between them. A pure function
 * of the index view and the workers. Any thread.
 *
 * <p>A chunk is of use to an instance if all of its ranks hold their parts. For agents the keyspace
 * tells how many ranks there are; foreign workers tell only their own, so theirs are the ranks that
 * are known. Where the first rank alone keeps a chunk for all (MLA), one holder is enough; so it is
 * of an engine's own memory, where each data-parallel rank has whole blocks of its own.
 */
public final class PrefixScores {

  private static final Comparator<InstanceScore> BEST =
      Comparator.comparingDouble(InstanceScore::score)
          .thenComparingInt(InstanceScore::chunks)
          .reversed();

  private final ChunkIndex index;
  private final WorkerRegistry registry;
  private final LocationWeights weights;

  public PrefixScores(ChunkIndex index, WorkerRegistry registry, LocationWeights weights) {
    this.index = index;
    this.registry = registry;
    this.weights = weights;
  }

  /**
   * The instances of which some rank holds the first chunk, the highest score first; of equal ones
   * the first registered.
   *
   * @param keyspace of one rank; with {@code oneRank} of the one that keeps the chunks
   * @param oneRank whether one rank alone keeps the chunks for all
   */
  public List<InstanceScore> of(Keyspace keyspace, long[] hashBits, boolean oneRank) {
    List<WorkerView> workers =
        registry.workers().stream().filter(worker -> needs(worker, keyspace, oneRank)).toList();
    Map<WorkerId, WeighedPrefix> prefixes = new HashMap<>();
    if (oneRank) {
      find(keyspace, hashBits, workers, prefixes);
    } else {
      byRank(workers)
          .forEach((rank, some) -> find(ofRank(keyspace, rank), hashBits, some, prefixes));
    }
    return WorkerView.byInstance(workers).entrySet().stream()
        .filter(e -> e.getValue().stream().anyMatch(w -> prefixes.containsKey(w.id())))
        .map(e -> score(e.getKey(), e.getValue(), keyspace, oneRank, prefixes))
        .sorted(BEST)
        .toList();
  }

  private static boolean needs(WorkerView worker, Keyspace keyspace, boolean oneRank) {
    Announcement announcement = worker.announcement();
    return announcement != null
        && announcement.kind() == kindOf(keyspace)
        && (oneRank || keyspace.isForeign() || worker.id().rank() < keyspace.worldSize());
  }

  private static WorkerKind kindOf(Keyspace keyspace) {
    return keyspace.isForeign()
        ? WorkerKind.FOREIGN
        : keyspace.isEngine() ? WorkerKind.ENGINE : WorkerKind.AGENT;
  }

  private static Map<Integer, List<WorkerView>> byRank(List<WorkerView> workers) {
    Map<Integer, List<WorkerView>> ranks = new TreeMap<>();
    for (WorkerView worker : workers) {
      ranks.computeIfAbsent(worker.id().rank(), rank -> new ArrayList<>()).add(worker);
    }
    return ranks;
  }

  private static Keyspace ofRank(Keyspace keyspace, int rank) {
    return keyspace.isForeign()
        ? Keyspace.foreign(rank)
        : Keyspace.of(
            keyspace.model(), keyspace.worldSize(), rank, keyspace.dtype(), keyspace.tags());
  }

  /** Adds what the workers hold of the keyspace; nothing for one that lacks the first chunk. */
  private void find(
      Keyspace keyspace,
      long[] hashBits,
      List<WorkerView> workers,
      Map<WorkerId, WeighedPrefix> prefixes) {
    Set<WorkerId> atOne = new HashSet<>();
    Set<WorkerId> atSeveral = new HashSet<>();
    for (WorkerView worker : workers) {
      if (worker.state().isOffered()) {
        (worker.locations().size() > 1 ? atSeveral : atOne).add(worker.id());
      }
    }
    if (hashBits.length > 0 && !atOne.isEmpty()) {
      for (PrefixMatch match : index.prefixes(keyspace, hashBits, atOne::contains)) {
        // A location may have come since the worker was looked at: the longest counts.
        prefixes.merge(
            match.worker(),
            WeighedPrefix.of(match.location(), match.length()),
            (one, other) -> one.length() >= other.length() ? one : other);
      }
    }
    walk(keyspace, hashBits, atSeveral, prefixes);
  }

  /** Follows workers whose prefix may go on at another of their locations. */
  private void walk(
      Keyspace keyspace,
      long[] hashBits,
      Set<WorkerId> workers,
      Map<WorkerId, WeighedPrefix> prefixes) {
    Set<WorkerId> holding = workers;
    for (int i = 0; i < hashBits.length && !holding.isEmpty(); i++) {
      Map<WorkerId, String> best = new HashMap<>();
      for (Placement place : index.holders(keyspace, hashBits[i])) {
        if (holding.contains(place.worker())) {
          best.merge(place.worker(), place.location(), this::heavier);
        }
      }
      best.forEach(
          (worker, location) ->
              prefixes.computeIfAbsent(worker, id -> new WeighedPrefix()).add(location, 1));
      holding = best.keySet();
    }
  }

  private String heavier(String one, String other) {
    return weights.of(one) >= weights.of(other) ? one : other;
  }

  private InstanceScore score(
      String instanceId,
      List<WorkerView> workers,
      Keyspace keyspace,
      boolean oneRank,
      Map<WorkerId, WeighedPrefix> prefixes) {
    List<WorkerView> counted = oneRank ? longest(workers, prefixes) : workers;
    int missing =
        oneRank || keyspace.isForeign() ? 0 : Math.max(0, keyspace.worldSize() - workers.size());
    int chunks =
        missing > 0
            ? 0
            : counted.stream().mapToInt(w -> prefix(w, prefixes).length()).min().orElse(0);
    double score =
        counted.stream()
            .mapToDouble(w -> prefix(w, prefixes).weight(chunks, weights))
            .min()
            .orElse(0);
    List<InstanceScore.RankPrefix> ranks =
        counted.stream()
            .sorted(Comparator.comparingInt(w -> w.id().rank()))
            .map(w -> rank(w, prefix(w, prefixes)))
            .toList();
    return new InstanceScore(instanceId, chunks, score, ranks, missing);
  }

  private static List<WorkerView> longest(
      List<WorkerView> workers, Map<WorkerId, WeighedPrefix> prefixes) {
    return workers.stream()
        .max(Comparator.comparingInt(worker -> prefix(worker, prefixes).length()))
        .map(List::of)
        .orElse(List.of());
  }

  private static WeighedPrefix prefix(WorkerView worker, Map<WorkerId, WeighedPrefix> prefixes) {
    return prefixes.getOrDefault(worker.id(), WeighedPrefix.NONE);
  }

  private static InstanceScore.RankPrefix rank(WorkerView worker, WeighedPrefix prefix) {
    return new InstanceScore.RankPrefix(worker, prefix.length(), prefix.byLocation());
  }
}

package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.Tag;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.PrefixMatch;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How much of a prompt each instance has, for a router that is going to send it somewhere. Any
 * thread.
 *
 * <p>Each rank of a model keeps its own share of a chunk, so an instance has what the shortest of
 * its ranks has, and nothing if one of them is silent. Where the keys say that the model isn't
 * split (world size 1, as LMCache writes them for MLA), the first rank alone counts. Of an agent
 * the keyspaces count whose model it announces, if it hashes as this controller does; of a foreign
 * worker its rank.
 */
public final class InstanceLookup {

  private static final Comparator<PrefixMatch> SHORTEST =
      Comparator.comparingInt(PrefixMatch::length).thenComparingInt(match -> match.worker().rank());

  private final ChunkIndex index;
  private final WorkerRegistry registry;
  private final PromptHashing hashing;

  public InstanceLookup(ChunkIndex index, WorkerRegistry registry, PromptHashing hashing) {
    this.index = index;
    this.registry = registry;
    this.hashing = hashing;
  }

  /** How prompts are hashed. */
  public PromptHashing hashing() {
    return hashing;
  }

  /**
   * Instances that have the first chunk: the longest prefix first, then the first registered.
   *
   * @param hashBits of the prompt's chunks in order
   */
  public List<InstancePrefix> find(long[] hashBits) {
    if (hashBits.length == 0) {
      return List.of();
    }
    Map<String, List<WorkerView>> instances = WorkerView.byInstance(registry.workers());
    Map<Share, Map<WorkerId, PrefixMatch>> found = new HashMap<>();
    for (Keyspace keyspace : keyspaces(instances)) {
      Share share = Share.of(keyspace);
      for (PrefixMatch match : index.prefixes(keyspace, hashBits, id -> counts(id, keyspace))) {
        found
            .computeIfAbsent(share, key -> new HashMap<>())
            .merge(match.worker(), match, InstanceLookup::longer);
      }
    }
    return instances.entrySet().stream()
        .flatMap(entry -> best(entry.getKey(), entry.getValue(), found).stream())
        .sorted(Comparator.comparingInt((InstancePrefix prefix) -> -prefix.chunks()))
        .toList();
  }

  private List<Keyspace> keyspaces(Map<String, List<WorkerView>> instances) {
    Set<Integer> ranks =
        instances.values().stream()
            .flatMap(List::stream)
            .map(worker -> worker.id().rank())
            .collect(Collectors.toSet());
    return Stream.concat(
            ranks.stream().map(Keyspace::foreign),
            index.countByKeyspace().keySet().stream()
                .filter(keyspace -> !keyspace.isForeign() && !keyspace.isEngine()))
        .toList();
  }

  private boolean counts(WorkerId id, Keyspace keyspace) {
    WorkerView worker = registry.worker(id).orElse(null);
    if (worker == null || !worker.state().isOffered() || id.rank() != keyspace.rank()) {
      return false;
    }
    Announcement told = worker.announcement();
    if (told == null || (told.kind() == WorkerKind.FOREIGN) != keyspace.isForeign()) {
      return false;
    }
    return keyspace.isForeign() || (keyspace.model().equals(told.model()) && hashing.fits(told));
  }

  private static PrefixMatch longer(PrefixMatch one, PrefixMatch other) {
    return other.length() > one.length() ? other : one;
  }

  /** The best that the instance has under one of its models. */
  private static Optional<InstancePrefix> best(
      String instanceId, List<WorkerView> workers, Map<Share, Map<WorkerId, PrefixMatch>> found) {
    return found.entrySet().stream()
        .flatMap(entry -> shortest(workers, entry.getKey(), entry.getValue()).stream())
        .max(Comparator.comparingInt(PrefixMatch::length))
        .map(match -> new InstancePrefix(instanceId, match.location(), match.length()));
  }

  /** What all ranks have; empty if one of them has nothing. */
  private static Optional<PrefixMatch> shortest(
      List<WorkerView> workers, Share share, Map<WorkerId, PrefixMatch> matches) {
    TreeMap<Integer, WorkerView> byRank = new TreeMap<>();
    workers.forEach(worker -> byRank.put(worker.id().rank(), worker));
    List<WorkerView> needed =
        share.isWhole() ? List.of(byRank.firstEntry().getValue()) : List.copyOf(byRank.values());
    List<PrefixMatch> held = new ArrayList<>(needed.size());
    for (WorkerView worker : needed) {
      PrefixMatch match = matches.get(worker.id());
      if (match == null) {
        return Optional.empty();
      }
      held.add(match);
    }
    return held.stream().min(SHORTEST);
  }

  /** What the keyspaces of a model's ranks have in common. */
  private record Share(String model, int worldSize, String dtype, List<Tag> tags) {

    static Share of(Keyspace keyspace) {
      return new Share(keyspace.model(), keyspace.worldSize(), keyspace.dtype(), keyspace.tags());
    }

    /** Whether one rank has all of a chunk. */
    boolean isWhole() {
      return worldSize == 1;
    }
  }
}

package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.index.ViewUnavailableException;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who could take the chunks of a worker that is going. Any thread.
 *
 * <p>That is a live worker of its rank in another instance that isn't going as well, since the
 * engine of that one asks for the same keys, which announces what it does: those of other hosts
 * first, as the worker's own host may be going with it, and of these the one that holds the fewest
 * chunks. What a live worker of another host has need not go at all.
 */
public final class DrainLookup {

  private static final int MOST_TARGETS = 8;

  private final BooleanSupplier ready;
  private final ChunkIndex index;
  private final WorkerRegistry registry;

  public DrainLookup(BooleanSupplier ready, ChunkIndex index, WorkerRegistry registry) {
    this.ready = ready;
    this.index = index;
    this.registry = registry;
  }

  /**
   * What is to be told.
   *
   * @param targets addresses, the best first
   * @param elsewhere indexes of the hashes
   */
  public record Answer(List<String> targets, List<Integer> elsewhere) {

    /** Copies the collections. */
    public Answer {
      targets = List.copyOf(targets);
      elsewhere = List.copyOf(elsewhere);
    }
  }

  /** The answer; empty while the view isn't whole, or can't be asked. */
  public Optional<Answer> find(WorkerId worker, Keyspace keyspace, long[] hashBits) {
    if (!ready.getAsBoolean()) {
      return Optional.empty();
    }
    Announcement own = registry.worker(worker).map(WorkerView::announcement).orElse(null);
    if (own == null) {
      return Optional.of(new Answer(List.of(), List.of()));
    }
    String host = host(own.peerInitUrl());
    try {
      return Optional.of(
          new Answer(
              targets(worker, keyspace, own, host),
              elsewhere(worker, keyspace, own, host, hashBits)));
    } catch (ViewUnavailableException e) {
      return Optional.empty();
    }
  }

  private List<String> targets(WorkerId worker, Keyspace keyspace, Announcement own, String host) {
    return registry.workers().stream()
        .filter(view -> view.id().rank() == worker.rank() && serves(view, worker, keyspace, own))
        .sorted(
            Comparator.comparing((WorkerView view) -> host(address(view)).equals(host))
                .thenComparingLong(WorkerView::residentCount)
                .thenComparing(view -> view.id().toString()))
        .limit(MOST_TARGETS)
        .map(DrainLookup::address)
        .toList();
  }

  private List<Integer> elsewhere(
      WorkerId worker, Keyspace keyspace, Announcement own, String host, long[] hashBits) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < hashBits.length; i++) {
      boolean held =
          index.holders(keyspace, hashBits[i]).stream()
              .map(Placement::worker)
              .flatMap(id -> registry.worker(id).stream())
              .anyMatch(
                  view -> serves(view, worker, keyspace, own) && !host(address(view)).equals(host));
      if (held) {
        found.add(i);
      }
    }
    return found;
  }

  private static boolean serves(
      WorkerView view, WorkerId worker, Keyspace keyspace, Announcement own) {
    Announcement told = view.announcement();
    return told != null
        && view.state().isOffered()
        && view.lastBeat().drain() == null
        && !view.id().instanceId().equals(worker.instanceId())
        && !address(view).isBlank()
        && AnnouncementMatch.serves(told, keyspace, own);
  }

  private static String address(WorkerView view) {
    Announcement told = view.announcement();
    String url = told == null ? null : told.peerInitUrl();
    return url == null ? "" : url;
  }

  private static String host(@Nullable String address) {
    int colon = address == null ? -1 : address.lastIndexOf(':');
    return address == null || colon < 0 ? "" : address.substring(0, colon);
  }
}

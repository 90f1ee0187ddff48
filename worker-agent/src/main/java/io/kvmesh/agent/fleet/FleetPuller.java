package io.kvmesh.agent.fleet;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.agent.transfer.PrefixPuller;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.agent.transfer.PullSource;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import java.util.List;

/**
 * Asks the controllers who has the rest of a prefix, and pulls it from them. Any thread; the caller
 * waits, and may be interrupted.
 */
public final class FleetPuller {

  /**
   * What came of a pull.
   *
   * @param chunks that are in the lease now, from the first one on that was asked for
   * @param outcome why no more
   */
  public record Pulled(int chunks, FleetOutcome outcome) {}

  private final LocalLookupCache directory;
  private final PrefixPuller puller;

  /** Assigns only. */
  public FleetPuller(LocalLookupCache directory, PrefixPuller puller) {
    this.directory = directory;
    this.puller = puller;
  }

  /** How many chunks, from the {@code from}-th on, one peer has. */
  public int longest(List<ChunkKey> keys, int from, Deadline deadline) throws InterruptedException {
    return ask(keys, from, deadline) instanceof LookupOutcome.Found found
        ? found.holders().getFirst().chunks()
        : 0;
  }

  /**
   * Pulls what peers have of the keys from the {@code from}-th on. What a remembered answer
   * promised in vain is asked of a controller, and pulled once more.
   */
  public Pulled pull(List<ChunkKey> keys, int from, ChunkLease into, Deadline deadline)
      throws InterruptedException {
    return switch (ask(keys, from, deadline)) {
      case LookupOutcome.Miss miss -> new Pulled(0, new FleetOutcome.Miss());
      case LookupOutcome.Unanswered lookup -> new Pulled(0, new FleetOutcome.Unanswered(lookup));
      case LookupOutcome.Found found -> pull(keys, from, found, into, deadline);
    };
  }

  private Pulled pull(
      List<ChunkKey> keys, int from, LookupOutcome.Found found, ChunkLease into, Deadline deadline)
      throws InterruptedException {
    PullOutcome outcome = pull(keys, from, 0, found, into, deadline);
    int got = outcome.chunks();
    if (found.remembered()
        && got < found.holders().getFirst().chunks()
        && !(outcome instanceof PullOutcome.NoRoom)
        && ask(keys, from, deadline) instanceof LookupOutcome.Found now
        && now.holders().getFirst().chunks() > got) {
      PullOutcome rest = pull(keys, from, got, now, into, deadline);
      return new Pulled(got + rest.chunks(), FleetOutcome.of(rest));
    }
    return new Pulled(got, FleetOutcome.of(outcome));
  }

  /** Pulls what was found behind the first {@code got} chunks. */
  private PullOutcome pull(
      List<ChunkKey> keys,
      int from,
      int got,
      LookupOutcome.Found found,
      ChunkLease into,
      Deadline deadline)
      throws InterruptedException {
    List<PullSource> sources =
        found.holders().stream()
            .filter(it -> it.chunks() > got)
            .map(it -> new PullSource(it.peerAddress(), it.chunks() - got))
            .toList();
    try {
      return puller.pull(sources, keys.subList(from + got, keys.size()), into, deadline);
    } finally {
      // It is here now, or isn't where it was said to be.
      directory.forget(keys.getFirst().keyspace(), hashes(keys, from));
    }
  }

  private LookupOutcome ask(List<ChunkKey> keys, int from, Deadline deadline)
      throws InterruptedException {
    if (from >= keys.size()) {
      return new LookupOutcome.Miss();
    }
    return directory.lookup(keys.getFirst().keyspace(), hashes(keys, from), deadline.remaining());
  }

  private static List<ChunkHash> hashes(List<ChunkKey> keys, int from) {
    return keys.subList(from, keys.size()).stream().map(ChunkKey::hash).toList();
  }
}

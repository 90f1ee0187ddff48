package io.kvmesh.agent.drain;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.MoveLedger;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One drain: asks the controllers who could take what and which of it others have, then hands the
 * rest to one worker after the other, the hottest first, until all is handed over, nobody is left
 * or the time or the bytes that are allowed are used up. All of it stays here, too. One thread,
 * used once.
 */
final class DrainRun {

  private static final String OVER = "the time is over";

  /** Hashes in one question. */
  private static final int QUESTION = 4096;

  private static final Duration ASK = Duration.ofSeconds(2);

  private final ChunkMover mover;
  private final DrainAdvisor advisor;
  private final DrainOrder order;
  private final MoveLedger ledger;
  private final LongSupplier nanoTime;
  private final long endNanos;

  /** The one that is ordered, or named by the first answer; the same for all keyspaces. */
  private List<String> targets;

  private @Nullable String stopped;

  /** The time runs from here on. */
  DrainRun(
      ChunkMover mover,
      DrainAdvisor advisor,
      DrainOrder order,
      MoveLedger ledger,
      LongSupplier nanoTime) {
    this.mover = mover;
    this.advisor = advisor;
    this.order = order;
    this.ledger = ledger;
    this.nanoTime = nanoTime;
    this.endNanos = nanoTime.getAsLong() + order.atMost().toNanos();
    this.targets = order.target() == null ? List.of() : List.of(order.target());
  }

  /**
   * Hands over; each chunk is in the ledger afterwards.
   *
   * @param keys the hottest first
   * @return why not all went; null if it did
   */
  @Nullable String run(List<ChunkKey> keys) {
    ledger.expect(keys.size());
    Map<ChunkKey, MoveOutcome> pending = new LinkedHashMap<>();
    notElsewhere(keys).forEach(key -> pending.put(key, MoveOutcome.UNTRIED));
    for (String target : targets) {
      if (pending.isEmpty() || !goesOn()) {
        break;
      }
      handOver(target, pending);
    }
    pending.forEach(ledger::enter);
    return pending.isEmpty() ? null : reason();
  }

  private String reason() {
    if (stopped != null) {
      return stopped;
    }
    return left().isZero() ? OVER : "nobody keeps the rest";
  }

  private boolean goesOn() {
    return !Thread.currentThread().isInterrupted() && !left().isZero();
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, endNanos - nanoTime.getAsLong()));
  }

  /** In order; what others have is settled. */
  private List<ChunkKey> notElsewhere(List<ChunkKey> keys) {
    List<ChunkKey> rest = new ArrayList<>(keys.size());
    for (int from = 0; from < keys.size(); from += QUESTION) {
      List<ChunkKey> slice = keys.subList(from, Math.min(keys.size(), from + QUESTION));
      Set<ChunkKey> elsewhere = goesOn() ? elsewhere(slice) : Set.of();
      for (ChunkKey key : slice) {
        if (elsewhere.contains(key)) {
          ledger.enter(key, MoveOutcome.ELSEWHERE);
        } else {
          rest.add(key);
        }
      }
    }
    return rest;
  }

  private Set<ChunkKey> elsewhere(List<ChunkKey> slice) {
    Map<Keyspace, List<ChunkKey>> byKeyspace = new LinkedHashMap<>();
    slice.forEach(
        key -> byKeyspace.computeIfAbsent(key.keyspace(), none -> new ArrayList<>()).add(key));
    Set<ChunkKey> elsewhere = new HashSet<>();
    byKeyspace.forEach((keyspace, of) -> elsewhere.addAll(elsewhere(keyspace, of)));
    return elsewhere;
  }

  private List<ChunkKey> elsewhere(Keyspace keyspace, List<ChunkKey> of) {
    List<ChunkHash> hashes = of.stream().map(ChunkKey::hash).toList();
    Duration atMost = left().compareTo(ASK) < 0 ? left() : ASK;
    try {
      return switch (advisor.drain(keyspace, hashes, atMost)) {
        case DrainAdvice.Told told -> take(told, of);
        case DrainAdvice.None none -> {
          stopped = targets.isEmpty() ? "nobody says who could take them: " + none.reason() : null;
          yield List.of();
        }
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private List<ChunkKey> take(DrainAdvice.Told told, List<ChunkKey> of) {
    targets = targets.isEmpty() ? told.targets() : targets;
    stopped = targets.isEmpty() ? "there is no worker that could take them" : null;
    return told.elsewhere().stream().filter(i -> i >= 0 && i < of.size()).map(of::get).toList();
  }

  /** What the target has is settled; the others are pending still. */
  private void handOver(String target, Map<ChunkKey, MoveOutcome> pending) {
    Optional<MoveReport> made =
        mover.handOver(ledger, target, List.copyOf(pending.keySet()), left(), order.bytes());
    if (made.isEmpty()) {
      stopped = "a move is under way, or this worker is closing";
      return;
    }
    MoveReport report = made.get();
    stopped = left().isZero() ? OVER : report.stopped();
    pending.clear();
    for (int i = 0; i < report.left().size(); i++) {
      MoveOutcome why = report.leftWhy().get(i);
      if (why != MoveOutcome.GONE) {
        pending.put(report.left().get(i), why);
      }
    }
  }
}

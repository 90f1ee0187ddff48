package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Room for chunks that are about to be pulled, claimed in key order. A chunk that is resident
 * already is held by the lease and needs no room. Closing gives back what wasn't filled. One
 * thread.
 */
final class Reservation implements AutoCloseable {

  private final ChunkCache cache;
  private final ChunkLease into;
  private final List<ChunkKey> keys;

  /** By key; null once it is in the lease. */
  private final List<@Nullable PendingChunk> pending = new ArrayList<>();

  /** Indexes of the keys to be pulled, ascending. */
  private final List<Integer> wanted = new ArrayList<>();

  private Reservation(ChunkCache cache, List<ChunkKey> keys, ChunkLease into) {
    this.cache = cache;
    this.keys = keys;
    this.into = into;
  }

  /** Claims full chunks for the keys; for fewer where there is no more room. */
  static Reservation of(
      ChunkCache cache, List<ChunkKey> keys, int bytes, int tokens, ChunkLease into)
      throws InterruptedException {
    List<ChunkSpec> chunks = keys.stream().map(key -> new ChunkSpec(key, bytes, tokens)).toList();
    Reservation reservation = new Reservation(cache, keys, into);
    reservation.add(cache.claim(chunks, new Reserving.Now(), into));
    return reservation;
  }

  /** Takes the claims up to the first that was refused, and gives back those behind it. */
  private void add(List<Claim> claims) {
    int taken = 0;
    while (taken < claims.size() && add(claims.get(taken))) {
      taken++;
    }
    List<PendingChunk> behind = new ArrayList<>();
    for (Claim claim : claims.subList(taken, claims.size())) {
      if (claim instanceof PendingChunk chunk) {
        behind.add(chunk);
      }
    }
    cache.abort(behind);
  }

  private boolean add(Claim claim) {
    return switch (claim) {
      case Claim.Resident resident -> {
        pending.add(null);
        yield true;
      }
      case PendingChunk chunk -> {
        wanted.add(pending.size());
        pending.add(chunk);
        yield true;
      }
      case Claim.NoSpace noSpace -> false;
      case Claim.TooLarge tooLarge -> false;
      case Claim.Unfull unfull -> false;
      case Claim.WrongSize wrongSize -> false;
      case Claim.NotKept notKept -> false;
      case Claim.Closed closed -> false;
    };
  }

  /** Whether there was room for all. */
  boolean isWhole() {
    return pending.size() == keys.size();
  }

  /** Number of chunks that must be pulled. */
  int wanted() {
    return wanted.size();
  }

  /** Their keys as text, from the {@code from}-th on, before the {@code to}-th. */
  List<String> wantedKeys(int from, int to) {
    return wanted.subList(from, to).stream().map(i -> keys.get(i).toString()).toList();
  }

  /** How long the prefix in the lease is once the first {@code pulled} wanted ones are filled. */
  int prefix(int pulled) {
    return pulled < wanted.size() ? wanted.get(pulled) : pending.size();
  }

  /**
   * Fills the {@code which}-th wanted chunk with the next of a delivery and makes it visible.
   *
   * @return what went wrong; null if nothing did
   */
  @Nullable Fault fill(int which, Delivery delivery) {
    int index = wanted.get(which);
    if (!fit(index, delivery)) {
      return Fault.UNWANTED;
    }
    PendingChunk chunk = pending.get(index);
    if (chunk == null) {
      return Fault.NO_ROOM;
    }
    if (!delivery.copyNextTo(chunk.body())) {
      return Fault.HARMED;
    }
    pending.set(index, null);
    return cache.commit(chunk, delivery.lastChecksum(), into) == CommitOutcome.CLOSED
        ? Fault.NO_ROOM
        : null;
  }

  /** Claims the chunk anew if the one that came isn't a full one; false if such aren't kept. */
  private boolean fit(int index, Delivery delivery) {
    PendingChunk chunk = pending.get(index);
    if (chunk == null
        || (chunk.bytes() == delivery.length() && chunk.tokens() == delivery.tokens())) {
      return true;
    }
    pending.set(index, null);
    cache.abort(chunk);
    Claim again = cache.claim(keys.get(index), delivery.length(), delivery.tokens(), into);
    pending.set(index, again instanceof PendingChunk claimed ? claimed : null);
    return !(again instanceof Claim.Unfull || again instanceof Claim.WrongSize);
  }

  /** Why a chunk wasn't filled. */
  enum Fault {
    /** A part of a chunk, or a body of another length than such chunks have here. */
    UNWANTED,
    /** The bytes aren't those that were sent. */
    HARMED,
    /** A chunk of another size found no room, or the cache is closing. */
    NO_ROOM
  }

  @Override
  public void close() {
    cache.abort(pending.stream().filter(Objects::nonNull).toList());
    Collections.fill(pending, null);
  }
}

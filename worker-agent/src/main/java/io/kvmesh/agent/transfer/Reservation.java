package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Room for chunks that are about to be pulled, claimed in key order. It is filled in any order;
 * what is filled becomes visible in key order, as far as nothing is missing before it. A chunk that
 * is resident already is held by the lease and needs no room. Closing gives back what didn't become
 * visible. One thread.
 */
final class Reservation implements AutoCloseable {

  private final ChunkCache cache;
  private final ChunkLease into;
  private final List<ChunkKey> keys;
  private final ChunkSize full;

  /** By key; null once it is in the lease. */
  private final List<@Nullable PendingChunk> pending = new ArrayList<>();

  /** Indexes of the keys to be pulled, ascending. */
  private final List<Integer> wanted = new ArrayList<>();

  /** By wanted chunk. */
  private final BitSet filled = new BitSet();

  /** By wanted chunk, of those that are filled. */
  private long[] checksums = {};

  private int visible;

  /** Bytes and tokens of a chunk. */
  record ChunkSize(int bytes, int tokens) {}

  private Reservation(ChunkCache cache, List<ChunkKey> keys, ChunkSize full, ChunkLease into) {
    this.cache = cache;
    this.keys = keys;
    this.full = full;
    this.into = into;
  }

  /** Claims full chunks for the keys; for fewer where there is no more room. */
  static Reservation of(ChunkCache cache, List<ChunkKey> keys, ChunkSize full, ChunkLease into)
      throws InterruptedException {
    List<ChunkSpec> chunks =
        keys.stream().map(key -> new ChunkSpec(key, full.bytes(), full.tokens())).toList();
    Reservation reservation = new Reservation(cache, keys, full, into);
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
    checksums = new long[wanted.size()];
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

  /** How many of them are among the first {@code chunks} of all. */
  int wantedAmong(int chunks) {
    int found = Collections.binarySearch(wanted, chunks);
    return found < 0 ? -found - 1 : found;
  }

  /** Their keys as text, from the {@code from}-th on, before the {@code to}-th. */
  List<String> wantedKeys(int from, int to) {
    return wanted.subList(from, to).stream().map(i -> keys.get(i).toString()).toList();
  }

  /** The key of the {@code which}-th wanted chunk. */
  ChunkKey wantedKey(int which) {
    return keys.get(wanted.get(which));
  }

  /** How many wanted chunks are visible, from the first on. */
  int visible() {
    return visible;
  }

  /** How long the prefix in the lease is. */
  int prefix() {
    return visible < wanted.size() ? wanted.get(visible) : pending.size();
  }

  /**
   * What came of a delivery.
   *
   * @param chunks filled, from its first on
   * @param fault why not the one after them; null if there is none
   */
  record Filled(int chunks, @Nullable Fault fault) {}

  /** Fills the wanted chunks from the {@code from}-th on with those of a delivery. */
  Filled fill(int from, Delivery delivery, CopyHelpers helpers) {
    List<@Nullable MemorySegment> targets = new ArrayList<>();
    Fault unfit = null;
    while (targets.size() < delivery.chunks() && unfit == null) {
      int index = wanted.get(from + targets.size());
      unfit = fit(index, delivery, targets.size());
      if (unfit == null) {
        PendingChunk chunk = pending.get(index);
        targets.add(chunk == null ? null : chunk.body());
      }
    }
    List<Delivery.Copied> copied = delivery.copyTo(targets, helpers);
    for (int i = 0; i < copied.size(); i++) {
      Fault fault = faultOf(copied.get(i));
      if (fault != null) {
        return new Filled(i, fault);
      }
      checksums[from + i] = delivery.checksum(i);
      filled.set(from + i);
    }
    return new Filled(copied.size(), unfit);
  }

  private static @Nullable Fault faultOf(Delivery.Copied copied) {
    return switch (copied) {
      case SKIPPED, RIGHT -> null;
      case CHANGED -> Fault.CHANGED;
      case HARMED -> Fault.HARMED;
      case MALFORMED -> Fault.MALFORMED;
    };
  }

  /** Claims the chunk anew if the one that came isn't a full one. */
  private @Nullable Fault fit(int index, Delivery delivery, int of) {
    PendingChunk chunk = pending.get(index);
    ChunkSize came = new ChunkSize(delivery.length(of), delivery.tokens(of));
    if (chunk == null || (chunk.bytes() == came.bytes() && chunk.tokens() == came.tokens())) {
      return null;
    }
    cache.abort(chunk);
    Fault fault = claim(index, came);
    if (fault == Fault.UNWANTED && claim(index, full) == Fault.NO_ROOM) {
      return Fault.NO_ROOM;
    }
    return fault;
  }

  private @Nullable Fault claim(int index, ChunkSize size) {
    pending.set(index, null);
    return switch (cache.claim(keys.get(index), size.bytes(), size.tokens(), into)) {
      case PendingChunk claimed -> {
        pending.set(index, claimed);
        yield null;
      }
      // Somebody stored it meanwhile.
      case Claim.Resident resident -> null;
      case Claim.TooLarge tooLarge -> Fault.UNWANTED;
      case Claim.Unfull unfull -> Fault.UNWANTED;
      case Claim.WrongSize wrongSize -> Fault.UNWANTED;
      case Claim.NoSpace noSpace -> Fault.NO_ROOM;
      case Claim.NotKept notKept -> Fault.NO_ROOM;
      case Claim.Closed closed -> Fault.NO_ROOM;
    };
  }

  /** Makes visible what is filled without a gap; false if the cache takes nothing any more. */
  boolean show() {
    int from = visible;
    int next = filled.nextClearBit(from);
    if (next == from) {
      return true;
    }
    List<PendingChunk> chunks = new ArrayList<>();
    long[] sums = new long[next - from];
    for (int which = from; which < next; which++) {
      PendingChunk chunk = pending.set(wanted.get(which), null);
      if (chunk != null) {
        sums[chunks.size()] = checksums[which];
        chunks.add(chunk);
      }
    }
    if (cache.commit(chunks, sums, into).contains(CommitOutcome.CLOSED)) {
      return false;
    }
    visible = next;
    return true;
  }

  /** Why a chunk wasn't filled. */
  enum Fault {
    /** A part of a chunk, or a body of another length than such chunks have here. */
    UNWANTED,
    /** Its owner has given its memory out anew. */
    CHANGED,
    /** The bytes aren't those that were sent. */
    HARMED,
    /** It came compressed, and can't be decompressed to its length. */
    MALFORMED,
    /** A chunk of another size found no room, or the cache is closing. */
    NO_ROOM
  }

  @Override
  public void close() {
    cache.abort(pending.stream().filter(Objects::nonNull).toList());
    Collections.fill(pending, null);
  }
}

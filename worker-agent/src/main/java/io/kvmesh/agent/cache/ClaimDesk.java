package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives out memory for chunks to come, takes it back, and makes chunks resident. Batches that wait
 * for room queue here: whoever makes room serves them before it lets go of the lock, so that each
 * release lets through as many as then fit, and wakes nobody else. Guarded by the cache's lock.
 */
final class ClaimDesk {

  private static final Claim RESIDENT = new Claim.Resident();
  private static final Claim NO_SPACE = new Claim.NoSpace();
  private static final Claim TOO_LARGE = new Claim.TooLarge();
  private static final Claim NOT_KEPT = new Claim.NotKept();
  private static final Claim CLOSED = new Claim.Closed();

  private final ChunkCache cache;
  private final ReentrantLock lock;
  private final ChunkMemory memory;
  private final ResidentSet resident;
  private final Places places;
  private final CacheCounters counters;
  private final CacheOptions options;
  private final Deque<WaitingClaim> waiting = new ArrayDeque<>();
  private boolean closed;

  ClaimDesk(
      ChunkCache cache,
      ReentrantLock lock,
      ChunkMemory memory,
      ResidentSet resident,
      Places places,
      CacheCounters counters,
      CacheOptions options) {
    this.cache = cache;
    this.lock = lock;
    this.memory = memory;
    this.resident = resident;
    this.places = places;
    this.counters = counters;
    this.options = options;
  }

  Claim claim(ChunkSpec spec, ChunkLease into) {
    return claim(spec, true, into);
  }

  List<Claim> claim(List<ChunkSpec> specs, Reserving how, ChunkLease into)
      throws InterruptedException {
    return switch (how) {
      case Reserving.Now now -> claimAll(specs, true, into);
      case Reserving.OnlyFree onlyFree -> claimAll(specs, false, into);
      case Reserving.Waiting(var atMost) -> claimOrWait(specs, atMost.toNanos(), into);
    };
  }

  private List<Claim> claimAll(List<ChunkSpec> specs, boolean evicting, ChunkLease into) {
    List<Claim> claims = new ArrayList<>(specs.size());
    into.expect(specs.size());
    for (int i = 0; i < specs.size(); i++) {
      claims.add(claim(specs.get(i), evicting, into));
    }
    return claims;
  }

  private Claim claim(ChunkSpec spec, boolean evicting, ChunkLease into) {
    if (closed) {
      return CLOSED;
    }
    int slot = resident.find(spec.key());
    if (slot != ChunkTable.NOT_FOUND && !spec.replaces()) {
      return claimResident(slot, evicting, into);
    }
    Claim claim = claimRoom(spec, evicting);
    if (spec.replaces() && !(claim instanceof PendingChunk)) {
      replace(spec.key());
      serve();
    }
    return claim;
  }

  /** The resident chunk of the key isn't what it should be any more. */
  private void replace(ChunkKey key) {
    int slot = resident.find(key);
    if (slot != ChunkTable.NOT_FOUND) {
      resident.remove(slot, RemovalCause.REPLACED);
    }
  }

  private Claim claimRoom(ChunkSpec spec, boolean evicting) {
    Claim refusal = refusal(spec);
    if (refusal != null) {
      return refusal;
    }
    int place = places.find(spec.bytes(), evicting);
    if (place == ChunkMemory.NO_PLACE) {
      counters.noSpace++;
      return NO_SPACE;
    }
    counters.pending++;
    return new PendingChunk(cache, spec, place);
  }

  private Claim claimResident(int slot, boolean evicting, ChunkLease into) {
    if (!makeReadable(slot, evicting, into)) {
      counters.noSpace++;
      return NO_SPACE;
    }
    counters.alreadyResident++;
    hold(slot, into);
    return RESIDENT;
  }

  /**
   * Finds room for what is compressed of a lease; the lease ends before the first for which there
   * is none.
   *
   * @param asTheyLie what is compressed by one of these is read so, and needs no room
   */
  void makeReadable(ChunkLease lease, Set<CompressionMethod> asTheyLie) {
    PackedBodies packed = resident.packed();
    ChunkRecords records = resident.records();
    // Most caches have none, and a look at each chunk costs.
    int looked = packed.chunks() == 0 ? 0 : lease.size();
    for (int i = 0; i < looked && i < lease.size(); i++) {
      int slot = lease.slotAt(i);
      if (records.isPacked(slot) && asTheyLie.contains(packed.method(slot))) {
        lease.setPacked(i, packed.read(slot, records.place(slot)));
      } else if (!makeReadable(slot, true, lease)) {
        while (lease.size() > i) {
          resident.letGo(lease.removeLast());
        }
      }
    }
  }

  /** Finds room for a chunk's body if it is compressed; the lease remembers what is to be done. */
  private boolean makeReadable(int slot, boolean evicting, ChunkLease lease) {
    if (!resident.records().isPacked(slot)) {
      return true;
    }
    resident.hold(slot);
    int place = places.find(resident.records().bytes(slot), evicting);
    if (place != ChunkMemory.NO_PLACE) {
      unpackTo(slot, place, lease);
    }
    resident.letGo(slot);
    return place != ChunkMemory.NO_PLACE;
  }

  private void unpackTo(int slot, int place, ChunkLease lease) {
    resident.hold(slot);
    counters.pending++;
    lease.add(new Unpacking(slot, place));
  }

  /** The end of an unpacking: the body is written, or can't be. */
  void settle(Unpacking unpacking, boolean written) {
    counters.pending--;
    if (written && resident.records().isPacked(unpacking.slot())) {
      resident.unpack(unpacking.slot(), unpacking.place());
    } else {
      memory.free(unpacking.place());
    }
    resident.letGo(unpacking.slot());
    serve();
  }

  private @Nullable Claim refusal(ChunkSpec spec) {
    if (options.keeping() == Keeping.NOTHING) {
      counters.notKept++;
      return NOT_KEPT;
    }
    Claim refusal = options.bodies().refusal(spec);
    if (refusal instanceof Claim.Unfull) {
      counters.unfull++;
      return refusal;
    }
    if (refusal != null) {
      counters.wrongSize++;
      return refusal;
    }
    if (!memory.fits(spec.bytes())) {
      counters.tooLarge++;
      return TOO_LARGE;
    }
    return null;
  }

  private List<Claim> claimOrWait(List<ChunkSpec> specs, long nanos, ChunkLease into)
      throws InterruptedException {
    if (closed || nanos <= 0 || (waiting.isEmpty() && places.haveRoomFor(specs, into))) {
      return claimAll(specs, true, into);
    }
    if (waiting.size() >= options.maxWaitingClaims()) {
      counters.waitRefused++;
      return claimAll(specs, true, into);
    }
    counters.waited++;
    WaitingClaim mine = new WaitingClaim(specs, into, lock.newCondition());
    waiting.addLast(mine);
    List<Claim> answer = await(mine, nanos);
    if (answer == null) {
      leave(mine);
      counters.waitedInVain++;
      answer = claimAll(specs, true, into);
    }
    return answer;
  }

  private @Nullable List<Claim> await(WaitingClaim mine, long nanos) throws InterruptedException {
    try {
      return mine.await(nanos);
    } catch (InterruptedException e) {
      if (mine.answer() == null) {
        leave(mine);
        throw e;
      }
      Thread.currentThread().interrupt();
      return mine.answer();
    }
  }

  private void leave(WaitingClaim mine) {
    waiting.remove(mine);
    serve();
  }

  /** Answers those at the head of the queue for whom there is room now. */
  void serve() {
    while (!waiting.isEmpty()) {
      WaitingClaim first = waiting.getFirst();
      if (!mayAnswer(first)) {
        return;
      }
      waiting.removeFirst();
      first.answer(
          first.into().isClosed()
              ? Collections.nCopies(first.specs().size(), CLOSED)
              : claimAll(first.specs(), true, first.into()));
    }
  }

  private boolean mayAnswer(WaitingClaim claim) {
    return closed || claim.into().isClosed() || places.haveRoomFor(claim.specs(), claim.into());
  }

  int waiting() {
    return waiting.size();
  }

  /** From now on nothing is claimed or committed; those who wait are told so. */
  void close() {
    closed = true;
    serve();
  }

  /** See ChunkCache. Into a closed lease nothing is committed: the memory is free again. */
  CommitOutcome commit(PendingChunk chunk, long checksum, ChunkLease into) {
    if (into.isClosed()) {
      abort(List.of(chunk));
    }
    into.requireOpenIn(cache);
    CommitOutcome outcome = commitOpen(chunk, checksum, into);
    serve();
    return outcome;
  }

  /** As above, for a batch. */
  List<CommitOutcome> commit(List<PendingChunk> chunks, long[] checksums, ChunkLease into) {
    if (into.isClosed()) {
      abort(chunks);
    }
    into.requireOpenIn(cache);
    List<CommitOutcome> outcomes = new ArrayList<>(chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      outcomes.add(commitOpen(chunks.get(i), checksums[i], into));
    }
    serve();
    return outcomes;
  }

  private CommitOutcome commitOpen(PendingChunk chunk, long checksum, ChunkLease into) {
    int place = settle(chunk);
    if (closed) {
      giveBack(place);
      return CommitOutcome.CLOSED;
    }
    if (options.keeping() == Keeping.STAGING) {
      into.add(resident.stage(chunk, place, checksum));
      return CommitOutcome.STAGED;
    }
    if (chunk.replaces()) {
      replace(chunk.key());
    }
    int slot = resident.find(chunk.key());
    if (slot == ChunkTable.NOT_FOUND) {
      hold(resident.admit(chunk, place, checksum), into);
      return CommitOutcome.STORED;
    }
    return keepResident(slot, chunk, place, into);
  }

  /** The body that came is dropped; one that is compressed is written back in its place. */
  private CommitOutcome keepResident(int slot, PendingChunk chunk, int place, ChunkLease into) {
    if (resident.records().isPacked(slot) && resident.records().bytes(slot) == chunk.bytes()) {
      unpackTo(slot, place, into);
    } else {
      memory.free(place);
      if (!makeReadable(slot, true, into)) {
        return CommitOutcome.CLOSED;
      }
    }
    counters.alreadyResident++;
    hold(slot, into);
    return CommitOutcome.RESIDENT;
  }

  void abort(List<PendingChunk> chunks) {
    chunks.forEach(chunk -> giveBack(settle(chunk)));
    serve();
  }

  private int settle(PendingChunk chunk) {
    int place = chunk.settle(cache);
    counters.pending--;
    return place;
  }

  private void giveBack(int place) {
    memory.free(place);
    counters.aborted++;
  }

  private void hold(int slot, ChunkLease lease) {
    resident.hold(slot);
    lease.add(slot);
  }
}

package io.kvmesh.agent.engine.tcp;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.engine.Retrieved;
import io.kvmesh.agent.fleet.FleetOutcome;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** What can be done with one chunk at a TCP door, and what is counted of it. Any thread. */
public final class ChunkDesk {

  private final EngineApi api;
  private final ChunkCache cache;
  private final BodyForms forms;
  private final Terms terms;
  private final Counters<DoorCount> counters;
  private final Traces traces;
  private final LongSupplier nanoTime;

  /**
   * How requests are served.
   *
   * @param exists where a chunk may be that exists
   * @param deadline of a request that asks controllers and peers
   * @param storing how bodies come by room
   */
  public record Terms(ExistsScope exists, Duration deadline, Reserving storing) {}

  /** Assigns only. */
  public ChunkDesk(
      EngineApi api,
      ChunkCache cache,
      BodyForms forms,
      Terms terms,
      Counters<DoorCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.api = api;
    this.cache = cache;
    this.forms = forms;
    this.terms = terms;
    this.counters = counters;
    this.traces = traces;
    this.nanoTime = nanoTime;
  }

  /** What is counted at this door. */
  public Counters<DoorCount> counters() {
    return counters;
  }

  /**
   * Begins a request that may ask controllers and peers. The caller closes it, on this thread.
   *
   * @param name of its span
   */
  public DoorRequest begin(String name) {
    return new DoorRequest(Deadline.after(terms.deadline(), nanoTime), traces.begin(name));
  }

  /**
   * The chunk, from here or else from a peer; a use of it.
   *
   * @return a lease that the caller closes, of one chunk, or of none where it isn't to be had
   */
  public ChunkLease get(ChunkKey key, DoorRequest request) throws InterruptedException {
    Retrieved got = request.retrieve(api, key);
    if (got.order().isEmpty()) {
      counters.count(missOf(got.outcome()));
    } else {
      counters.count(got.local() > 0 ? DoorCount.GET_LOCAL : DoorCount.GET_PEER);
    }
    return got.lease();
  }

  private static DoorCount missOf(FleetOutcome outcome) {
    return switch (outcome) {
      case FleetOutcome.NotAsked notAsked -> DoorCount.GET_MISS;
      case FleetOutcome.FirstRankOnly elsewhere -> DoorCount.GET_MISS;
      case FleetOutcome.Miss miss -> DoorCount.GET_MISS;
      case FleetOutcome.Unanswered unanswered -> failed(unanswered);
      case FleetOutcome.Pulled pulled -> failed(pulled);
    };
  }

  private static DoorCount failed(FleetOutcome outcome) {
    return outcome.timedOut() ? DoorCount.GET_TIMED_OUT : DoorCount.GET_UNAVAILABLE;
  }

  /**
   * How the values of a chunk that was got lie.
   *
   * @param tellable whether the protocol can tell so
   * @return empty = nobody knows, or it can't be told, which is counted
   */
  public Optional<BodyForm> form(ChunkLease lease, Predicate<BodyForm> tellable) {
    Optional<BodyForm> form = forms.of(lease, 0).filter(tellable);
    if (form.isEmpty()) {
      counters.count(DoorCount.GET_FORMLESS);
    }
    return form;
  }

  /** Whether the chunk is here, or in the fleet where that counts; not a use. */
  public boolean exists(ChunkKey key, DoorRequest request) throws InterruptedException {
    boolean here = cache.exists(key);
    boolean there = !here && terms.exists() == ExistsScope.FLEET && request.isInFleet(api, key);
    request.found(here, there);
    counters.count(
        here ? DoorCount.EXISTS_LOCAL : there ? DoorCount.EXISTS_FLEET : DoorCount.EXISTS_MISS);
    return here || there;
  }

  /** Whether the chunk is here; not a use, and not counted. */
  public boolean isHere(ChunkKey key) {
    return cache.exists(key);
  }

  /** How the values of a chunk lie that is here; empty = it isn't, or nobody knows. */
  public Optional<BodyForm> formHere(ChunkKey key) {
    return formHere(key, anyLength -> true);
  }

  /** As above, of one that has that length. */
  public Optional<BodyForm> formHere(ChunkKey key, int bytes) {
    return formHere(key, length -> length == bytes);
  }

  private Optional<BodyForm> formHere(ChunkKey key, IntPredicate length) {
    try (ChunkLease lease = cache.leasePrefix(List.of(key))) {
      return lease.size() == 0 || !length.test(lease.bytes(0))
          ? Optional.empty()
          : forms.of(lease, 0);
    }
  }

  /** Chunks that are here. */
  public int chunks() {
    return cache.stats().residentChunks();
  }

  /** Forgets the chunk, if it is here; who is being sent it gets all of it. */
  public boolean delete(ChunkKey key) {
    boolean deleted = cache.withdraw(key, RemovalCause.REMOVED);
    counters.count(deleted ? DoorCount.DELETE : DoorCount.DELETE_MISS);
    return deleted;
  }

  /**
   * Room for a body that takes the place of the chunk's present one. Where there is none, a chunk
   * that is resident is gone too: it isn't what the client wanted to be there.
   *
   * @param form how its values lie
   * @return what was claimed, to be committed or aborted; anything else is counted already
   */
  public Claim claim(ChunkKey key, int bytes, BodyForm form) throws InterruptedException {
    return misfit(bytes, form)
        ? counted(new Claim.WrongSize(0))
        : tryClaim(
            new ChunkSpec(key, bytes, BodyForms.tokens(form), true, forms.learn(key, bytes, form)));
  }

  /** As above, for a body of which only the length is told. */
  public Claim claim(ChunkKey key, int bytes) throws InterruptedException {
    return bytes < 1
        ? counted(new Claim.WrongSize(0))
        : tryClaim(new ChunkSpec(key, bytes, forms.tokens(key, bytes), true, null));
  }

  /** Tells how the values of a claimed body lie. */
  public void describe(PendingChunk chunk, BodyForm form) {
    chunk.describe(forms.learn(chunk.key(), chunk.bytes(), form));
  }

  /** Tells so of a chunk that is here; false if none of that length is. */
  public boolean describe(ChunkKey key, int bytes, BodyForm form) {
    return cache.describe(key, bytes, forms.learn(key, bytes, form));
  }

  /** Whether a body of that length can't be one whose values lie so. */
  public static boolean misfit(int bytes, BodyForm form) {
    if (bytes < 1) {
      return true;
    }
    OptionalLong told = BodyForms.bytes(form);
    return told.isPresent() && told.getAsLong() != bytes;
  }

  private Claim tryClaim(ChunkSpec spec) throws InterruptedException {
    try (ChunkLease none = cache.newLease()) {
      return counted(cache.claim(List.of(spec), terms.storing(), none).getFirst());
    }
  }

  private Claim counted(Claim claim) {
    refusal(claim).ifPresent(counters::count);
    return claim;
  }

  private static Optional<DoorCount> refusal(Claim claim) {
    return switch (claim) {
      case PendingChunk claimed -> Optional.empty();
      case Claim.NoSpace noSpace -> Optional.of(DoorCount.PUT_NO_SPACE);
      case Claim.TooLarge tooLarge -> Optional.of(DoorCount.PUT_TOO_LARGE);
      case Claim.Unfull unfull -> Optional.of(DoorCount.PUT_UNFULL);
      case Claim.WrongSize wrongSize -> Optional.of(DoorCount.PUT_WRONG_SIZE);
      case Claim.NotKept notKept -> Optional.of(DoorCount.PUT_NOT_KEPT);
      case Claim.Closed closed -> Optional.of(DoorCount.PUT_CLOSING);
      case Claim.Resident resident ->
          throw new IllegalStateException("A claim that replaces found the chunk resident");
    };
  }

  /** What a claimed body takes of the memory. */
  public long footprint(PendingChunk chunk) {
    return cache.footprint(chunk.bytes());
  }

  /** The body is whole: from now on others find it, if the answer is STORED. */
  public CommitOutcome commit(PendingChunk chunk) {
    counters.add(DoorCount.BYTE_IN, chunk.bytes());
    try (ChunkLease lease = cache.newLease()) {
      CommitOutcome outcome = cache.commit(chunk, lease);
      counters.count(
          switch (outcome) {
            case STORED, RESIDENT -> DoorCount.PUT_STORED;
            case STAGED -> DoorCount.PUT_NOT_KEPT;
            case CLOSED -> DoorCount.PUT_CLOSING;
          });
      return outcome;
    }
  }

  /** The body won't be whole. */
  public void abort(PendingChunk chunk) {
    counters.count(DoorCount.PUT_ABORTED);
    cache.abort(chunk);
  }
}

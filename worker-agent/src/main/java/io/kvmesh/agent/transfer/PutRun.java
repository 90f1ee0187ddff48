package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the chunks of one push: what is here is held, the rest is read from the sender, one request
 * after the other. Room is claimed for one request at a time, so that a sender which doesn't have
 * what it pushes costs little. What comes whole is resident at once, and each chunk has an outcome
 * of its own. One thread, used once.
 */
final class PutRun {

  private final ChunkCache cache;
  private final PeerClient client;
  private final PullLimits limits;
  private final Counters<ServerCount> counters;
  private final PutOrder order;
  private final ChunkLease into;
  private final int mayDisplace;

  /** Chunks that may have been put out for a sender that is going. */
  private int displaced;

  /** By chunk; null while it isn't known. */
  private final @Nullable PutOutcome[] outcomes;

  /** What is being read, by index. */
  private final List<Integer> wanted = new ArrayList<>();

  /** Room for these; null once it is settled. */
  private final List<@Nullable PendingChunk> rooms = new ArrayList<>();

  /** Why nothing more is read; null while something is. */
  private @Nullable PutOutcome end;

  /**
   * @param into gets what is here afterwards
   * @param mayDisplace how many chunks may be put out if the sender is going; otherwise any number
   */
  PutRun(
      ChunkCache cache,
      PeerClient client,
      PullLimits limits,
      Counters<ServerCount> counters,
      PutOrder order,
      ChunkLease into,
      int mayDisplace) {
    this.cache = cache;
    this.client = client;
    this.limits = limits;
    this.counters = counters;
    this.order = order;
    this.into = into;
    this.mayDisplace = mayDisplace;
    this.outcomes = new PutOutcome[order.keys().size()];
  }

  /**
   * Does it.
   *
   * @param most how many chunks the lease may get
   * @return what became of each chunk
   */
  List<PutOutcome> run(int most) throws InterruptedException {
    List<Integer> missing = holdThoseHere(fit(most));
    int atOnce = limits.chunksAtOnce(client.self().pageBytes());
    for (int from = 0; from < missing.size() && end == null; from += atOnce) {
      read(missing.subList(from, Math.min(missing.size(), from + atOnce)));
    }
    List<PutOutcome> all = new ArrayList<>();
    for (PutOutcome outcome : outcomes) {
      all.add(outcome == null ? Objects.requireNonNull(end) : outcome);
    }
    return all;
  }

  /** Indexes of the chunks that can be taken; the others are settled. */
  private List<Integer> fit(int most) {
    List<Integer> fit = new ArrayList<>();
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = fit.size() < most ? unfit(i) : PutOutcome.NO_SPACE;
      if (outcomes[i] == null) {
        fit.add(i);
      }
    }
    return fit;
  }

  /** Indexes of those that aren't here. */
  private List<Integer> holdThoseHere(List<Integer> fit) {
    List<ChunkKey> keys = fit.stream().map(order.keys()::get).toList();
    Set<ChunkKey> here = new HashSet<>(cache.moves().hold(keys, into));
    List<Integer> missing = new ArrayList<>();
    for (int index : fit) {
      if (here.contains(order.keys().get(index))) {
        outcomes[index] = PutOutcome.RESIDENT;
      } else {
        missing.add(index);
      }
    }
    return missing;
  }

  private void read(List<Integer> indexes) throws InterruptedException {
    wanted.clear();
    rooms.clear();
    List<ChunkSpec> specs = indexes.stream().map(this::spec).toList();
    List<Claim> claims =
        order.drain() ? claimFew(specs) : cache.claim(specs, new Reserving.Now(), into);
    for (int i = 0; i < claims.size(); i++) {
      take(indexes.get(i), claims.get(i));
    }
    try {
      int read = 0;
      while (read < wanted.size() && end == null) {
        read += readFrom(read);
      }
    } finally {
      cache.abort(rooms.stream().filter(Objects::nonNull).toList());
    }
  }

  /** Claims what is free, and for few more what must give way. */
  private List<Claim> claimFew(List<ChunkSpec> specs) throws InterruptedException {
    List<Claim> claims = new ArrayList<>(cache.claim(specs, new Reserving.OnlyFree(), into));
    for (int i = 0; i < claims.size() && displaced < mayDisplace; i++) {
      if (claims.get(i) instanceof Claim.NoSpace) {
        Claim again = cache.claim(specs.subList(i, i + 1), new Reserving.Now(), into).getFirst();
        claims.set(i, again);
        displaced += again instanceof PendingChunk ? 1 : 0;
      }
    }
    return claims;
  }

  /** How many chunks of this cache may have given way. */
  int displaced() {
    return displaced;
  }

  /** Why a chunk can't be taken, whatever its bytes are. */
  private @Nullable PutOutcome unfit(int index) {
    long tokens = order.tokens().get(index);
    int full = client.self().chunkTokens();
    if (cache.keeping() != Keeping.HOT) {
      return PutOutcome.NOT_KEPT;
    }
    if (order.deadline().passed()) {
      return PutOutcome.TIMED_OUT;
    }
    if (tokens < 1 || tokens > full) {
      return PutOutcome.WRONG_SIZE;
    }
    return tokens < full && !order.isLast(index) ? PutOutcome.UNFULL : null;
  }

  /** As long as its share of a full chunk: what comes may be shorter. */
  private ChunkSpec spec(int index) {
    int tokens = Math.toIntExact(order.tokens().get(index));
    long bytes = (long) client.self().pageBytes() * tokens / client.self().chunkTokens();
    return new ChunkSpec(order.keys().get(index), (int) Math.max(1, bytes), tokens);
  }

  private void take(int index, Claim claim) {
    if (claim instanceof PendingChunk room) {
      wanted.add(index);
      rooms.add(room);
    } else {
      outcomes[index] = outcomeOf(claim);
    }
  }

  private static PutOutcome outcomeOf(Claim claim) {
    return switch (claim) {
      case Claim.Resident resident -> PutOutcome.RESIDENT;
      case Claim.NoSpace noSpace -> PutOutcome.NO_SPACE;
      case Claim.TooLarge tooLarge -> PutOutcome.TOO_LARGE;
      case Claim.Unfull unfull -> PutOutcome.UNFULL;
      case Claim.WrongSize wrongSize -> PutOutcome.WRONG_SIZE;
      case Claim.NotKept notKept -> PutOutcome.NOT_KEPT;
      case Claim.Closed closed -> PutOutcome.NOT_KEPT;
      case PendingChunk room ->
          throw new IllegalArgumentException("There is room for " + room.key());
    };
  }

  /** Reads the wanted chunks from one on; answers how many are settled then. */
  private int readFrom(int from) throws InterruptedException {
    int to = wanted.size();
    long bytes = (long) (to - from) * client.self().pageBytes();
    if (!client.budget().take(order.sender(), bytes, order.deadline())) {
      return end(PutOutcome.TIMED_OUT);
    }
    try {
      return switch (ask(from, to)) {
        case GetAnswer.Delivered delivered -> accept(from, delivered.delivery());
        case GetAnswer.Expired expired -> end(PutOutcome.TIMED_OUT);
        case GetAnswer.Refused refused -> end(PutOutcome.UNREADABLE);
        case GetAnswer.Lost lost -> end(PutOutcome.UNREADABLE);
        case GetAnswer.Unreachable unreachable -> end(PutOutcome.UNREADABLE);
        case GetAnswer.Garbled garbled -> end(PutOutcome.UNREADABLE);
      };
    } finally {
      client.budget().giveBack(order.sender(), bytes);
    }
  }

  private int end(PutOutcome why) {
    end = why;
    return 0;
  }

  private GetAnswer ask(int from, int to) throws InterruptedException {
    List<ChunkKey> all = order.keys();
    List<String> keys =
        wanted.subList(from, to).stream().map(index -> all.get(index).toString()).toList();
    GetAnswer answer = await(client.get(order.sender(), keys, order.deadline()));
    for (int attempts = 1; mayRetry(answer) && attempts < limits.maxAttempts(); attempts++) {
      answer = await(client.get(order.sender(), keys, order.deadline()));
    }
    return answer;
  }

  private boolean mayRetry(GetAnswer answer) {
    return answer.mayBeAskedAnew() && !order.deadline().passed();
  }

  private GetAnswer await(CompletableFuture<GetAnswer> answer) throws InterruptedException {
    boolean taken = false;
    try {
      GetAnswer came =
          answer.get(Math.max(0, order.deadline().remainingNanos()), TimeUnit.NANOSECONDS);
      taken = true;
      return came;
    } catch (TimeoutException e) {
      return new GetAnswer.Expired();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      if (!taken && !answer.cancel(false)) {
        answer.resultNow().release();
      }
    }
  }

  private int accept(int from, Delivery delivery) {
    try (delivery) {
      int chunks = delivery.chunks();
      List<@Nullable MemorySegment> targets = new ArrayList<>();
      for (int i = 0; i < chunks; i++) {
        targets.add(targetOf(from + i, delivery, i));
      }
      List<Delivery.Copied> copied = delivery.copyTo(targets, client.helpers());
      for (int i = 0; i < chunks; i++) {
        if (targets.get(i) != null) {
          outcomes[wanted.get(from + i)] = settle(from + i, copied.get(i), delivery.checksum(i));
        }
      }
      return chunks == 0 ? end(PutOutcome.NOT_SENT) : chunks;
    }
  }

  /** Where a chunk that came is to go; null if there is no room for it, which settles it. */
  private @Nullable MemorySegment targetOf(int which, Delivery delivery, int chunk) {
    int index = wanted.get(which);
    Claim room = roomFor(which, index, delivery.length(chunk), delivery.tokens(chunk));
    if (room instanceof PendingChunk found) {
      return found.body();
    }
    outcomes[index] = outcomeOf(room);
    return null;
  }

  private PutOutcome settle(int which, Delivery.Copied copied, long checksum) {
    return switch (copied) {
      case RIGHT -> commit(which, checksum);
      case CHANGED, SKIPPED -> PutOutcome.UNREADABLE;
      case HARMED, MALFORMED -> {
        client.blame(order.sender());
        yield PutOutcome.HARMED;
      }
    };
  }

  private PutOutcome commit(int which, long checksum) {
    PendingChunk chunk = Objects.requireNonNull(rooms.set(which, null));
    return switch (cache.commit(chunk, checksum, into)) {
      case CommitOutcome.STORED, CommitOutcome.STAGED -> {
        counters.count(ServerCount.CHUNK_READ);
        counters.add(ServerCount.BYTE_READ, chunk.bytes());
        yield PutOutcome.READ;
      }
      case CommitOutcome.RESIDENT -> PutOutcome.RESIDENT;
      case CommitOutcome.CLOSED -> PutOutcome.NOT_KEPT;
    };
  }

  /** The room that was claimed, or other room if the chunk that came has another length. */
  private Claim roomFor(int which, int index, int bytes, int tokens) {
    PendingChunk room = Objects.requireNonNull(rooms.get(which));
    if (tokens != room.tokens()) {
      return new Claim.WrongSize(0);
    }
    if (bytes == room.bytes()) {
      return room;
    }
    rooms.set(which, null);
    cache.abort(room);
    Claim again = cache.claim(order.keys().get(index), bytes, room.tokens(), into);
    if (again instanceof PendingChunk other) {
      rooms.set(which, other);
    }
    return again;
  }
}

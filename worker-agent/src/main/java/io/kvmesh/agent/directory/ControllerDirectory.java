package io.kvmesh.agent.directory;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.DrainMsg;
import io.kvmesh.common.wire.directory.DrainRetMsg;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSockets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Asks the controllers, all of which know the same: one, and another where that is silent, away or
 * not ready, within the question's time. One thread owns the connections; questions come from any.
 */
public final class ControllerDirectory implements PeerDirectory, DrainAdvisor, AutoCloseable {

  private static final int MAX_QUEUED_TASKS = 8192;

  private final WorkerId self;
  private final DirectorySettings settings;
  private final MessageCodec codec;
  private final Counters<DirectoryCount> counters;
  private final Traces traces;
  private final LongSupplier nanoTime;
  private final SocketLoop loop;
  private final RefusedFrames refused;
  private final Controllers order;
  private final List<ControllerLink> links;
  private final Semaphore mayAsk;
  private final AtomicLong requestIds = new AtomicLong(new SecureRandom().nextLong());
  private volatile boolean answered;

  /** Assigns only. */
  public ControllerDirectory(
      WorkerId self,
      DirectorySettings settings,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<DirectoryCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.self = self;
    this.settings = settings;
    this.codec = codec;
    this.counters = counters;
    this.traces = traces;
    this.nanoTime = nanoTime;
    this.loop = new SocketLoop("directory", sockets, MAX_QUEUED_TASKS);
    this.refused = new RefusedFrames("directory", nanoTime);
    this.order =
        new Controllers(
            settings.controllers().size(),
            settings.attemptTimeout(),
            settings.passOverMost(),
            nanoTime);
    this.links = settings.controllers().stream().map(this::link).toList();
    this.mayAsk = new Semaphore(settings.maxInFlight());
  }

  private ControllerLink link(String address) {
    return new ControllerLink(address, loop, settings.sockets(), codec, counters, refused);
  }

  /** Begins to work. */
  public void start() {
    loop.start();
  }

  /** Ends all connections; who waits is told. */
  @Override
  public void close() {
    loop.execute(() -> links.forEach(ControllerLink::close));
    loop.close();
  }

  /** Whether there is a controller, and one of them answered the last question. */
  public boolean reachable() {
    return answered;
  }

  /** Number of controllers that there are. */
  public int controllers() {
    return links.size();
  }

  /** Number of controllers that didn't fail when they were asked last. */
  public int notFailing() {
    return order.notFailing();
  }

  /** Frames that were refused. */
  public RefusedFrames refusedFrames() {
    return refused;
  }

  @Override
  public LookupOutcome lookup(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    LookupOutcome outcome =
        hashes.isEmpty()
            ? new LookupOutcome.Miss()
            : traces.ask("directory lookup", span -> ask(keyspace, hashes, atMost, span));
    counters.count(
        switch (outcome) {
          case LookupOutcome.Found found -> DirectoryCount.FOUND;
          case LookupOutcome.Miss miss -> DirectoryCount.MISS;
          case LookupOutcome.Rejected rejected -> DirectoryCount.REJECTED;
          case LookupOutcome.NotReady notReady -> DirectoryCount.NOT_READY;
          case LookupOutcome.Unavailable unavailable -> DirectoryCount.UNAVAILABLE;
          case LookupOutcome.TimedOut timedOut -> DirectoryCount.TIMED_OUT;
        });
    return outcome;
  }

  private LookupOutcome ask(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost, Traced span)
      throws InterruptedException {
    Traceparent here = traces.current();
    BatchedP2PLookupMsg question =
        new BatchedP2PLookupMsg(
            hashes.stream().map(ControllerDirectory::indexed).toList(),
            self.instanceId(),
            self.rank(),
            keyspace.toString(),
            here == null ? null : here.toString());
    LookupOutcome outcome = conclude(inTurn(order.inOrder(), question, atMost), hashes.size());
    span.tag(Traces.CHUNKS_ASKED, hashes.size());
    span.tag(Traces.OUTCOME, outcome.label());
    return outcome;
  }

  @Override
  public DrainAdvice drain(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    DrainMsg question =
        new DrainMsg(
            self.instanceId(),
            self.rank(),
            keyspace.toString(),
            hashes.stream().map(ControllerDirectory::indexed).toList());
    return switch (inTurn(order.inOrder(), question, atMost)) {
      case Exchange.Silent silent -> new DrainAdvice.None("no controller answered in time");
      case Exchange.Failed failed -> new DrainAdvice.None(failed.reason());
      case Exchange.Answered answer ->
          switch (answer.reply()) {
            case DrainRetMsg told -> new DrainAdvice.Told(told.targets(), told.elsewhere());
            case ErrorMsg error -> new DrainAdvice.None("a controller says: " + error.error());
            case DirectoryReply other ->
                new DrainAdvice.None("answered with " + other.getClass().getSimpleName());
          };
    };
  }

  /** As indexes know it: a wide hash by its first eight bytes. */
  private static ChunkHash indexed(ChunkHash hash) {
    return hash.isWide() ? ChunkHash.ofUnsigned(hash.bits()) : hash;
  }

  private static LookupOutcome conclude(Exchange exchange, int asked) {
    return switch (exchange) {
      case Exchange.Silent silent -> new LookupOutcome.TimedOut();
      case Exchange.Failed failed -> new LookupOutcome.Unavailable(failed.reason());
      case Exchange.Answered answer ->
          switch (answer.reply()) {
            case BatchedP2PLookupRetMsg found -> holders(found, asked);
            case ErrorMsg error when isNotReady(error) -> new LookupOutcome.NotReady();
            case ErrorMsg error -> new LookupOutcome.Rejected(error.error());
            case DirectoryReply other ->
                new LookupOutcome.Rejected("answers with " + other.getClass().getSimpleName());
          };
    };
  }

  private static LookupOutcome holders(BatchedP2PLookupRetMsg found, int asked) {
    List<Holder> holders = new ArrayList<>();
    for (int i = 0; i < found.layoutInfo().size(); i++) {
      PeerLayout layout = found.layoutInfo().get(i);
      if (layout.numHitChunks() > 0 && !layout.peerInitUrl().isEmpty()) {
        holders.add(
            new Holder(
                layout.instanceId(),
                layout.location(),
                Math.min(layout.numHitChunks(), asked),
                layout.peerInitUrl(),
                epoch(found, i)));
      }
    }
    return holders.isEmpty() ? new LookupOutcome.Miss() : new LookupOutcome.Found(holders);
  }

  private static long epoch(BatchedP2PLookupRetMsg found, int index) {
    List<Long> epochs = found.epochs();
    return epochs != null && epochs.size() == found.layoutInfo().size()
        ? epochs.get(index)
        : Holder.UNKNOWN_EPOCH;
  }

  private static boolean isNotReady(ErrorMsg error) {
    return ErrorMsg.NOT_READY.equals(error.code());
  }

  /** Asks as a heartbeat does: any controller, beginning with the {@code turn}-th. */
  Exchange heartbeat(int turn, DirectoryRequest question, Duration atMost)
      throws InterruptedException {
    return inTurn(order.allFrom(turn), question, atMost);
  }

  /** Asks one after another until one answers with something else than that it isn't ready. */
  private Exchange inTurn(List<Integer> candidates, DirectoryRequest question, Duration atMost)
      throws InterruptedException {
    if (!mayAsk.tryAcquire()) {
      return new Exchange.Failed("too many questions are under way");
    }
    try {
      return askInTurn(candidates, codec.encode(question), atMost);
    } finally {
      mayAsk.release();
    }
  }

  private Exchange askInTurn(List<Integer> candidates, byte[] question, Duration atMost)
      throws InterruptedException {
    long end = nanoTime.getAsLong() + atMost.toNanos();
    Exchange last = new Exchange.Failed("no controller may be asked now");
    for (int index : candidates) {
      long left = end - nanoTime.getAsLong();
      if (left <= 0) {
        return new Exchange.Silent();
      }
      long asked = nanoTime.getAsLong();
      last = ask(index, question, Math.min(left, settings.attemptTimeout().toNanos()));
      if (isUseful(last)) {
        answered = true;
        order.answered(index);
        return last;
      }
      if (fails(index, last, asked)) {
        answered = false;
        counters.count(DirectoryCount.MOVED_ON);
      }
    }
    return last;
  }

  /** Who was given less time than a controller may take isn't to blame for its silence alone. */
  private boolean fails(int index, Exchange exchange, long askedNanos) {
    if (exchange instanceof Exchange.Silent) {
      return order.silent(index, askedNanos);
    }
    order.failed(index);
    return true;
  }

  private static boolean isUseful(Exchange exchange) {
    return exchange instanceof Exchange.Answered answer
        && !(answer.reply() instanceof ErrorMsg error && isNotReady(error));
  }

  private Exchange ask(int index, byte[] question, long nanos) throws InterruptedException {
    long id = requestIds.incrementAndGet();
    CompletableFuture<Exchange> answer = new CompletableFuture<>();
    if (!loop.execute(() -> links.get(index).ask(id, question, answer))) {
      return new Exchange.Failed("too much is under way");
    }
    try {
      return answer.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return new Exchange.Silent();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      if (answer.cancel(false)) {
        loop.execute(() -> links.get(index).forget(id));
      }
    }
  }
}

package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.RoundTrip;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.lmcache.DirectoryFront;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.lmcache.FrontSettings;
import io.kvmesh.controller.lmcache.LogView;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.lookup.Requester;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Prefixes of 100 chunks, drawn at random and asked for one at a time at a controller's ROUTER,
 * beside bare round trips with messages of the same sizes and the same lookups without any socket.
 */
final class AskRounds implements AutoCloseable {

  private static final int PREFIX = LookupRounds.PREFIX;
  private static final int QUESTIONS = 500;
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final byte[] DELIMITER = {};

  private final Random random = new Random(11);
  private final MessageCodec codec = new MessageCodec();
  private final FilledIndex filled;
  private final PrefixLookup lookup;
  private final ZmqSockets sockets = new ZmqSockets();
  private final DirectoryFront front;
  private final ZContext context = new ZContext();
  private final ZMQ.Socket client = context.createSocket(SocketType.DEALER);
  private final RoundTrip bare;

  /** Median nanoseconds of each round. */
  record Nanos(Samples asked, Samples bare, Samples lookup) {}

  AskRounds(FilledIndex filled) throws IOException {
    this.filled = filled;
    this.lookup = new PrefixLookup(filled.index(), filled.registry());
    this.front = front();
    front.start();
    client.connect("tcp://127.0.0.1:" + front.replyPort());
    Question first = draw();
    this.bare =
        new RoundTrip("bare JeroMQ", first.message().length, 1, checked(first, ask(first)).length);
  }

  private DirectoryFront front() {
    FrontSettings settings =
        new FrontSettings(
            "",
            "tcp://127.0.0.1:0",
            "",
            "",
            SocketSettings.DEFAULT,
            SHORT,
            1,
            100,
            SHORT,
            1,
            SHORT);
    return new DirectoryFront(
        settings,
        sockets,
        new ReadyLookup(() -> true, lookup),
        new DrainLookup(() -> true, filled.index(), filled.registry()),
        (worker, epoch, sequence, timeout) ->
            CompletableFuture.completedFuture(
                new Barrier.Answer(Barrier.Outcome.REFUSED, epoch, sequence)),
        new WholeView(),
        filled.registry(),
        (worker, announcement) -> CompletableFuture.completedFuture(false),
        new NoLog(),
        Traces.off(),
        new FrontCounts());
  }

  /** One worker asks for chunks of the next. */
  private record Question(WorkerId asker, WorkerId owner, long[] hashes, byte[] message) {}

  private Question draw() {
    int asker = random.nextInt(filled.fleet().size());
    int owner = (asker + 1) % filled.fleet().size();
    long[] hashes = Fleet.hashes(owner, random.nextInt(filled.chunksEach() - PREFIX), PREFIX);
    var message =
        new BatchedP2PLookupMsg(
            LongStream.of(hashes).mapToObj(ChunkHash::ofUnsigned).toList(),
            Fleet.id(asker).instanceId(),
            Fleet.id(asker).rank(),
            Fleet.KEYSPACE.toString());
    return new Question(Fleet.id(asker), Fleet.id(owner), hashes, codec.encode(message));
  }

  Nanos measure(int warmUps, int rounds) {
    double[][] nanos = new double[3][rounds];
    for (int round = -warmUps; round < rounds; round++) {
      int at = Math.max(round, 0);
      nanos[0][at] = medianOf(question -> ask(question));
      nanos[1][at] = medianOf(question -> bare.pull());
      nanos[2][at] = medianOf(this::find);
    }
    return new Nanos(new Samples(nanos[0]), new Samples(nanos[1]), new Samples(nanos[2]));
  }

  /** What is done with a question. */
  private interface Way {
    void go(Question question);
  }

  private double medianOf(Way way) {
    double[] nanos = new double[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++) {
      Question question = draw();
      long begin = System.nanoTime();
      way.go(question);
      nanos[i] = System.nanoTime() - begin;
    }
    return new Samples(nanos).median();
  }

  /** The answer's payload. */
  private byte[] ask(Question question) {
    client.sendMore(DELIMITER);
    client.send(question.message());
    client.recv();
    return client.recv();
  }

  private void find(Question question) {
    LookupAnswer.Found found =
        lookup.find(Requester.agent(question.asker(), Fleet.KEYSPACE), question.hashes());
    require(question, found.holders().getFirst().chunks());
  }

  /** Fails unless the answer is the right one. */
  private byte[] checked(Question question, byte[] answer) {
    try {
      if (!(codec.decode(DirectoryReply.class, answer) instanceof BatchedP2PLookupRetMsg found)) {
        throw new IllegalStateException("A lookup was not answered");
      }
      PeerLayout first = found.layoutInfo().getFirst();
      require(
          question,
          first.instanceId().equals(question.owner().instanceId()) ? first.numHitChunks() : 0);
      return answer;
    } catch (WireFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void require(Question question, int chunks) {
    if (chunks != PREFIX) {
      throw new IllegalStateException(
          "%s has %d chunks of %d".formatted(question.owner(), chunks, PREFIX));
    }
  }

  @Override
  public void close() {
    bare.close();
    context.close();
    front.close();
    sockets.close();
  }

  /** Is whole, and nobody waits for more. */
  private static final class WholeView implements LogView {

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public CompletableFuture<Boolean> caughtUp(Duration timeout) {
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public boolean snapshotWanted(WorkerId worker) {
      return false;
    }
  }

  /** Takes nothing: nobody says anything here that changes something. */
  private static final class NoLog implements EventLogWriter {

    @Override
    public CompletableFuture<Long> append(LogEvent event) {
      return append(0, event);
    }

    @Override
    public CompletableFuture<Long> append(int partition, LogEvent event) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException(event.toString()));
    }

    @Override
    public boolean hasRoom() {
      return false;
    }

    @Override
    public long failures() {
      return 0;
    }

    @Override
    public void close(Duration timeout) {}
  }
}

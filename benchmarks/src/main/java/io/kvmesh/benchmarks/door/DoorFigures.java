package io.kvmesh.benchmarks.door;

import io.kvmesh.benchmarks.ScratchDirectory;
import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import io.kvmesh.embedded.EmbeddedRedis;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * How fast chunks come out of the doors for LMCache's connectors and go in, beside a Redis in a
 * process of its own and a plain socket, with the same client; and what many connections do to
 * that. All take turns.
 */
public final class DoorFigures {

  private static final int MIB = 1 << 20;

  /** More than the processor's caches hold. */
  private static final int CHUNKS = 64;

  private static final int ROUNDS = 9;
  private static final int WARM_UP_ROUNDS = 12;

  private final int chunkBytes;
  private final int times;
  private final FigureTable table = new FigureTable(System.out);

  private DoorFigures(int chunkBytes, int mibPerSample) {
    this.chunkBytes = chunkBytes;
    this.times = Math.max(1, mibPerSample / (chunkBytes / MIB));
  }

  /**
   * Measures and prints.
   *
   * @param mibPerSample that each of them moves in a round
   */
  public static void run(int mibPerSample) throws IOException {
    new ConnectionFigures(mibPerSample).run();
    try (ScratchDirectory scratch = ScratchDirectory.make();
        EmbeddedRedis redis = EmbeddedRedis.start(scratch.path(), 0)) {
      for (int mib : new int[] {1, 4}) {
        new DoorFigures(mib * MIB, mibPerSample).measureBeside(redis.port());
      }
    }
  }

  private void measureBeside(int redisPort) throws IOException {
    LmQuestions lm = new LmQuestions(chunkBytes);
    RespQuestions resp = new RespQuestions(chunkBytes);
    try (DoorAgent agent = new DoorAgent(CHUNKS, chunkBytes);
        PlainSource source = new PlainSource(CHUNKS, chunkBytes);
        Asker plain = asker("plain socket", source.port(), source::get);
        Asker redis = asker("Redis, GET", redisPort, resp::get);
        Asker respGet = asker("resp, GET", agent.respPort(), resp::get);
        Asker lmGet = asker("lm, GET", agent.lmPort(), lm::get);
        Asker lmPut = asker("lm, PUT", agent.lmPort(), lm::put);
        Asker redisSet = asker("Redis, SET", redisPort, resp::set)) {
      redisSet.askEach();
      lmPut.askEach();
      print(measure(List.of(plain, redis, respGet, lmGet, lmPut, redisSet)));
    }
  }

  private Asker asker(String name, int port, IntFunction<Question> question) throws IOException {
    List<Question> questions = IntStream.range(0, CHUNKS).mapToObj(question).toList();
    int longest = questions.stream().mapToInt(Question::replyBytes).max().orElseThrow();
    return new Asker(name, new BodyClient(port, longest), questions, chunkBytes);
  }

  private Samples[] measure(List<Asker> askers) throws IOException {
    double[][] samples = new double[askers.size()][ROUNDS];
    for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (int i = 0; i < samples.length; i++) {
        double once = askers.get(i).sample(times);
        if (round >= 0) {
          samples[i][round] = once;
        }
      }
    }
    return Arrays.stream(samples).map(Samples::new).toArray(Samples[]::new);
  }

  private void print(Samples[] figures) {
    Samples plain = figures[0];
    Samples redis = figures[1];
    table.section("One connection, chunks of %d MiB".formatted(chunkBytes / MIB));
    speed("plain socket", plain);
    speed("Redis, GET", redis);
    Samples[] gets = {figures[2], figures[3]};
    String[] names = {"resp, GET", "lm, GET"};
    for (int i = 0; i < gets.length; i++) {
      speed(names[i], gets[i]);
      table.atLeast(1.5, "  of Redis", Unit.TIMES, gets[i].over(redis), Baseline.NONE);
      table.atLeast(0.9, "  of the plain socket", Unit.TIMES, gets[i].over(plain), Baseline.NONE);
    }
    speed("lm, PUT", figures[4]);
    table.atLeast(0.8, "  of lm, GET", Unit.TIMES, figures[4].over(figures[3]), Baseline.NONE);
    speed("Redis, SET", figures[5]);
  }

  private void speed(String what, Samples figure) {
    table.row(what, Unit.GIGABYTES_A_SECOND, figure, Baseline.NONE);
  }
}

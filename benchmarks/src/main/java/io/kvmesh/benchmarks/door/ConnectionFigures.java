package io.kvmesh.benchmarks.door;

import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What comes out of one door over many connections, few of which are active or more of them, in
 * turn; and what memory that takes.
 */
final class ConnectionFigures {

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int CHUNKS = 64;
  private static final int CONNECTIONS = 500;
  private static final int FEW = 8;
  private static final int MORE = 64;
  private static final int ROUNDS = 9;
  private static final int WARM_UP_ROUNDS = 8;

  private final int replies;
  private final FigureTable table = new FigureTable(System.out);

  /**
   * @param mibPerSample that go over in a round with each
   */
  ConnectionFigures(int mibPerSample) {
    this.replies = 2 * mibPerSample;
  }

  /** Measures and prints. */
  void run() throws IOException {
    LmQuestions lm = new LmQuestions(CHUNK_BYTES);
    List<Question> gets = IntStream.range(0, CHUNKS).mapToObj(lm::get).toList();
    try (DoorAgent agent = new DoorAgent(CHUNKS, CHUNK_BYTES)) {
      fill(agent, lm);
      MemoryUse none = MemoryUse.now();
      try (ManyClients clients = new ManyClients(agent.lmPort(), CONNECTIONS, gets)) {
        MemoryUse open = MemoryUse.now();
        Samples[] warm = measure(clients, WARM_UP_ROUNDS);
        MemoryUse before = MemoryUse.now();
        Samples[] figures = measure(clients, ROUNDS);
        MemoryUse after = MemoryUse.now();
        print(figures);
        table.line("memory without connections      " + none);
        table.line("  with all of them open         " + open);
        table.line("  after %3d MiB                 %s".formatted(mib(warm), before));
        table.line("  after %3d MiB more            %s".formatted(mib(figures), after));
      }
    }
  }

  private static void fill(DoorAgent agent, LmQuestions lm) throws IOException {
    try (BodyClient client = new BodyClient(agent.lmPort(), CHUNK_BYTES)) {
      for (int i = 0; i < CHUNKS; i++) {
        client.ask(lm.put(i));
      }
    }
  }

  private int mib(Samples[] rounds) {
    return rounds.length * rounds[0].values().length * replies;
  }

  private Samples[] measure(ManyClients clients, int rounds) throws IOException {
    double[] few = new double[rounds];
    double[] more = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      few[round] = sample(clients, FEW);
      more[round] = sample(clients, MORE);
    }
    return new Samples[] {new Samples(few), new Samples(more)};
  }

  /** Gigabytes a second. */
  private double sample(ManyClients clients, int active) throws IOException {
    long begin = System.nanoTime();
    clients.run(active, replies);
    return (double) replies * CHUNK_BYTES / (System.nanoTime() - begin);
  }

  private void print(Samples[] figures) {
    table.section("%d connections to lm, chunks of 1 MiB".formatted(CONNECTIONS));
    table.row(FEW + " active, GET", Unit.GIGABYTES_A_SECOND, figures[0], Baseline.NONE);
    table.row(MORE + " active, GET", Unit.GIGABYTES_A_SECOND, figures[1], Baseline.NONE);
    table.atLeast(
        0.8,
        "  of %d active".formatted(FEW),
        Unit.TIMES,
        figures[1].over(figures[0]),
        Baseline.NONE);
  }
}

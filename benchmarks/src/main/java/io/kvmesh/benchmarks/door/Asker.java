package io.kvmesh.benchmarks.door;

import java.io.IOException;
import java.util.List;

/**
 * One way to get or put chunks: a client that asks one question after the other.
 *
 * @param questions which are asked in turn
 * @param bodyBytes that each of them moves
 */
record Asker(String name, BodyClient client, List<Question> questions, int bodyBytes)
    implements AutoCloseable {

  /** Asks each question once. */
  void askEach() throws IOException {
    for (Question question : questions) {
      client.ask(question);
    }
  }

  /** Asks so often, and answers how many gigabytes a second went over. */
  double sample(int times) throws IOException {
    long begin = System.nanoTime();
    for (int i = 0; i < times; i++) {
      client.ask(questions.get(i % questions.size()));
    }
    return (double) times * bodyBytes / (System.nanoTime() - begin);
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}

package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReaderThreadTest {

  private final IngestCounters counters = new IngestCounters();

  @Test
  void whateverEndsATurn_anotherFollows() throws Exception {
    List<Throwable> faults =
        List.of(new IllegalStateException("a"), new StackOverflowError(), new AssertionError("c"));
    AtomicInteger turns = new AtomicInteger();
    CountDownLatch lastTurn = new CountDownLatch(1);
    ReaderThread thread =
        new ReaderThread(
            "reader",
            it -> {
              int turn = turns.getAndIncrement();
              if (turn < faults.size()) {
                ReaderThreadTest.<RuntimeException>raise(faults.get(turn));
              }
              lastTurn.countDown();
            },
            counters);
    thread.start();
    try {
      assertThat(lastTurn.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(counters.counts().failures()).isEqualTo(3);
      assertThat(thread.lastFailure()).isEqualTo("c");
    } finally {
      thread.close();
      thread.join(Duration.ofSeconds(5));
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable fault) throws T {
    throw (T) fault;
  }
}

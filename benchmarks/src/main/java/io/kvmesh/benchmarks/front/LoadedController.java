package io.kvmesh.benchmarks.front;

import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A controller with its workers, which hold a million keys. Belongs to one thread. */
final class LoadedController implements AutoCloseable {

  private static final long SETTLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final boolean redis;
  private final ControllerEnd controller;
  private final ZmqSockets sockets = new ZmqSockets();
  private final Population population;
  private final EchoClient echo;
  private final Load load;

  /**
   * What came of a burst.
   *
   * @param takenNanos until the last batch was in a socket's hands
   * @param seenNanos until all was applied
   */
  record Burst(double takenNanos, double seenNanos) {}

  /**
   * Starts a controller and fills it.
   *
   * @param redisUri empty = no view in Redis
   * @param echoAddress of the yardstick
   */
  LoadedController(Path dir, String kafka, String redisUri, String echoAddress)
      throws IOException, InterruptedException, TimeoutException, WireFormatException {
    redis = !redisUri.isEmpty();
    controller = ControllerEnd.start(dir, kafka, redisUri);
    try {
      population = new Population(sockets, controller);
      echo = new EchoClient(sockets, echoAddress);
    } catch (IOException | WireFormatException | RuntimeException e) {
      controller.close();
      throw e;
    }
    load = new Load(population, echo);
    population.fill();
    settle();
  }

  /** Waits until all that was said is applied. */
  private void settle() throws IOException, InterruptedException, TimeoutException {
    LagWatch.awaitNone(controller, redis, population::changes, SETTLE_NANOS);
  }

  /** The mix at a rate for so many seconds, less where the view can't follow at all. */
  Step step(double rate, double seconds)
      throws IOException, InterruptedException, TimeoutException {
    try (LagWatch watch = new LagWatch(controller, redis, population::changes)) {
      Load.Outcome outcome = load.run(rate, seconds, () -> Step.isHopeless(rate, watch.latest()));
      Step step =
          new Step(
              rate, outcome.lookups(), outcome.bare(), watch.samples(), outcome.backlogNanos());
      settle();
      return step;
    }
  }

  /** Pushes so many batches as fast as they are taken. */
  Burst burst(int batches) throws IOException, InterruptedException, TimeoutException {
    long begin = System.nanoTime();
    population.burst(batches);
    long taken = System.nanoTime();
    settle();
    return new Burst(taken - begin, System.nanoTime() - begin);
  }

  /** Lookups whose answer isn't what the generator knows. */
  int wrongLookups(int lookups) throws IOException {
    return load.wrongLookups(lookups);
  }

  /** Signs of a loss: gaps, messages that came to nothing, full syncs asked for. */
  String losses() throws IOException, InterruptedException {
    ControllerEnd.Counted counted = controller.counted();
    return "gaps %d, messages lost %d, full syncs wanted %d"
        .formatted(counted.gaps(), counted.lost(), population.wantedSyncs());
  }

  int held() {
    return population.held();
  }

  @Override
  public void close() {
    population.close();
    echo.close();
    sockets.close();
    controller.close();
  }
}

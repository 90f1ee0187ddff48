package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.metadata;
import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.engine.lm.LmClient;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sixteen readers and eight writers, through all doors, on four pages: each body that is read is
 * that of its key, whole, and not older than the last one whose writer was told so before. A second
 * by default, else {@code kvmesh.test.soak}.
 */
@Timeout(600)
class DoorsSoakTest {

  private static final int READERS = 16;
  private static final int WRITERS = 8;
  private static final int PAGES = 4;
  private static final Duration LENGTH = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 1));

  /** By key, each of which has one writer. */
  private final AtomicIntegerArray written = new AtomicIntegerArray(WRITERS);

  private final AtomicLong bodiesRead = new AtomicLong();

  @Test
  void readersAndWriters_onFourPages() throws Exception {
    try (DoorFixture at = RespFixture.open(PAGES, "");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      int lm = at.openFurther((desk, clock) -> new LmProtocol(desk, MAX_BODY));
      long end = System.nanoTime() + LENGTH.toNanos();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int number = i;
        all.add(threads.submit(() -> write(number, at.port(), lm, end)));
      }
      for (int i = 0; i < READERS; i++) {
        int number = i;
        all.add(threads.submit(() -> read(number, at.port(), lm, end)));
      }
      for (Future<?> each : all) {
        each.get();
      }
      assertThat(bodiesRead.get()).isPositive();
      at.skip(Duration.ofSeconds(11));
      assertThat(at.settled()).isBetween(1, PAGES);
    }
  }

  private static String key(int number) {
    return "m@1@0@%x@bfloat16".formatted(number + 1);
  }

  private static byte[] body(int key, int version) {
    ByteBuffer body = ByteBuffer.allocate(PAGE);
    while (body.hasRemaining()) {
      body.putInt(key).putInt(version);
    }
    return body.array();
  }

  /** A writer stores; it answers whether it was told that others find it. */
  private interface Store {
    boolean accept(byte[] body) throws Exception;
  }

  private Void write(int number, int redisPort, int lmPort, long end) throws Exception {
    try (LmClient lm = new LmClient(DoorFixture.connect(lmPort));
        RespClientEnd redis = new RespClientEnd(DoorFixture.connect(redisPort))) {
      List<Store> ways =
          List.of(
              body -> {
                lm.put(key(number), body);
                return lm.isHealthy();
              },
              body -> isOk(redis.ask("SET", key(number), body)),
              body -> {
                boolean first = isOk(redis.ask("SET", key(number) + "kv_bytes", body));
                return isOk(redis.ask("SET", key(number) + "metadata", metadata(PAGE))) && first;
              });
      Store way = ways.get(number % ways.size());
      for (int version = 1; version == 1 || System.nanoTime() < end; version++) {
        if (way.accept(body(number, version))) {
          written.set(number, version);
        }
      }
    }
    return null;
  }

  private static boolean isOk(@Nullable Object reply) {
    assertThat(String.valueOf(reply)).matches("\\+OK|-OOM .*");
    return "+OK".equals(reply);
  }

  private Void read(int number, int redisPort, int lmPort, long end) throws Exception {
    try (LmClient lm = new LmClient(DoorFixture.connect(lmPort));
        RespClientEnd redis = new RespClientEnd(DoorFixture.connect(redisPort))) {
      List<Callable<byte @Nullable []>> ways = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        String key = key(i);
        ways.add(
            switch ((number + i) % 3) {
              case 0 -> () -> lm.get(key);
              case 1 -> () -> redis.get(key);
              default ->
                  () -> redis.get(key + "metadata") == null ? null : redis.get(key + "kv_bytes");
            });
      }
      for (int i = 0; i < WRITERS || System.nanoTime() < end; i++) {
        int key = i % WRITERS;
        int atLeast = written.get(key);
        byte[] body = ways.get(key).call();
        if (body != null) {
          requireRight(key, atLeast, body);
        }
      }
    }
    return null;
  }

  private void requireRight(int key, int atLeast, byte[] body) {
    int version = ByteBuffer.wrap(body).getInt(Integer.BYTES);
    assertThat(body).isEqualTo(body(key, version));
    assertThat(version).isGreaterThanOrEqualTo(atLeast);
    bodiesRead.incrementAndGet();
  }
}

package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.metadata;
import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.engine.NativeDoor;
import io.kvmesh.agent.engine.TestDoor;
import io.kvmesh.agent.engine.lm.LmClient;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.client.EngineBody;
import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.ZmqSockets;
import java.lang.foreign.MemorySegment;
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
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sixteen readers and eight writers, through all doors, the native one among them, on four pages:
 * each body that is read is that of its key, whole, and not older than the last one whose writer
 * was told so before. A second by default, else {@code kvmesh.test.soak}.
 */
@Timeout(600)
class DoorsSoakTest {

  private static final Logger LOG = LoggerFactory.getLogger(DoorsSoakTest.class);

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int READERS = 16;
  private static final int WRITERS = 8;
  private static final int PAGES = 4;

  /** lm://, a Redis key, the native door, a Redis pair. */
  private static final int WAYS = 4;

  private static final Duration LENGTH = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 1));

  /** By key, each of which has one writer. */
  private final AtomicIntegerArray written = new AtomicIntegerArray(WRITERS);

  /** Bodies, by the way in which they were read. */
  private final AtomicLongArray read = new AtomicLongArray(WAYS);

  /** Bodies, by the way in which they were stored; at lm://, which answers no put, sent. */
  private final AtomicLongArray stored = new AtomicLongArray(WAYS);

  private final AtomicLong misses = new AtomicLong();

  @Test
  void readersAndWriters_onFourPages() throws Exception {
    try (DoorFixture at = RespFixture.open(PAGES, "");
        NativeDoor door = nativeDoor(at.agent);
        ZmqSockets sockets = new ZmqSockets();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      int lm = at.openFurther((desk, clock) -> new LmProtocol(desk, MAX_BODY));
      Doors doors = new Doors(sockets, at.port(), lm, door.port());
      long end = System.nanoTime() + LENGTH.toNanos();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int number = i;
        all.add(threads.submit(() -> write(number, doors, end)));
      }
      for (int i = 0; i < READERS; i++) {
        int number = i;
        all.add(threads.submit(() -> read(number, doors, end)));
      }
      for (Future<?> each : all) {
        each.get();
      }
      LOG.info("by lm, key, native, pair: read {}, stored {}; misses {}", read, stored, misses);
      assertThat(IntStream.range(0, WAYS).mapToLong(read::get).sum()).isPositive();
      at.skip(Duration.ofSeconds(11));
      assertThat(at.settled()).isBetween(1, PAGES);
    }
  }

  private static NativeDoor nativeDoor(TestAgent agent) throws Exception {
    return TestDoor.start(
        agent,
        TestDoor.settings(LONG, LONG, READERS + WRITERS, READERS + WRITERS, Duration.ZERO),
        DoorFixture.NOBODY,
        new Counters<>(EngineCount.class));
  }

  /** The ports of all of them. */
  private record Doors(ZmqSockets sockets, int redis, int lm, int engines) {

    EngineClient engine() throws Exception {
      return EngineClient.open(
          sockets, EngineClientSettings.of("tcp://127.0.0.1:" + engines, "soak"));
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

  private Void write(int number, Doors doors, long end) throws Exception {
    try (LmClient lm = new LmClient(DoorFixture.connect(doors.lm()));
        EngineClient engine = doors.engine();
        RespClientEnd redis = new RespClientEnd(DoorFixture.connect(doors.redis()))) {
      List<Store> ways =
          List.of(
              body -> {
                lm.put(key(number), body);
                return lm.isHealthy();
              },
              body -> isOk(redis.ask("SET", key(number), body)),
              body -> isStored(engine, number, body),
              body -> {
                boolean first = isOk(redis.ask("SET", key(number) + "kv_bytes", body));
                return isOk(redis.ask("SET", key(number) + "metadata", metadata(PAGE))) && first;
              });
      Store way = ways.get(number % ways.size());
      for (int version = 1; version == 1 || System.nanoTime() < end; version++) {
        if (way.accept(body(number, version))) {
          written.set(number, version);
          stored.incrementAndGet(number % WAYS);
        }
      }
    }
    return null;
  }

  private static boolean isOk(@Nullable Object reply) {
    assertThat(String.valueOf(reply)).matches("\\+OK|-OOM .*");
    return "+OK".equals(reply);
  }

  /** The native door keeps a body that is there already. */
  private static boolean isStored(EngineClient engine, int number, byte[] body) throws Exception {
    ChunkKey key = ChunkKey.parse(key(number));
    EngineBody chunk = new EngineBody(key, MemorySegment.ofArray(body), TestAgent.TOKENS);
    StoreOutcome outcome = engine.store(List.of(chunk), LONG).outcomes().getFirst();
    assertThat(outcome).isIn(StoreOutcome.STORED, StoreOutcome.RESIDENT, StoreOutcome.NO_SPACE);
    return outcome == StoreOutcome.STORED;
  }

  private static byte @Nullable [] retrieve(EngineClient engine, ChunkKey key) throws Exception {
    try (RetrievedChunks chunks = engine.retrieve(List.of(key), LONG)) {
      if (chunks.size() == 0) {
        return null;
      }
      byte[] body = new byte[chunks.lengths().getFirst()];
      chunks.body(0).get(body);
      return body;
    }
  }

  private Void read(int number, Doors doors, long end) throws Exception {
    try (LmClient lm = new LmClient(DoorFixture.connect(doors.lm()));
        EngineClient engine = doors.engine();
        RespClientEnd redis = new RespClientEnd(DoorFixture.connect(doors.redis()))) {
      List<Callable<byte @Nullable []>> ways = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        String key = key(i);
        ways.add(
            switch ((number + i) % WAYS) {
              case 0 -> () -> lm.get(key);
              case 1 -> () -> redis.get(key);
              case 2 -> () -> retrieve(engine, ChunkKey.parse(key));
              default ->
                  () -> redis.get(key + "metadata") == null ? null : redis.get(key + "kv_bytes");
            });
      }
      for (int i = 0; i < WRITERS || System.nanoTime() < end; i++) {
        int key = i % WRITERS;
        int atLeast = written.get(key);
        byte[] body = ways.get(key).call();
        if (body == null) {
          misses.incrementAndGet();
        } else {
          requireRight(key, atLeast, body);
          read.incrementAndGet((number + key) % WAYS);
        }
      }
    }
    return null;
  }

  private void requireRight(int key, int atLeast, byte[] body) {
    int version = ByteBuffer.wrap(body).getInt(Integer.BYTES);
    assertThat(body).isEqualTo(body(key, version));
    assertThat(version).isGreaterThanOrEqualTo(atLeast);
  }
}

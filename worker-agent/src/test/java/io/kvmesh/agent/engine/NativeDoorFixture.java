package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static java.util.Objects.requireNonNull;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An agent with an engine's door, and a client of it. */
abstract class NativeDoorFixture {

  final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  final AtomicReference<LookupOutcome> fleet = new AtomicReference<>(new LookupOutcome.Miss());

  /** By which the door's clock is ahead. */
  final AtomicLong skippedNanos = new AtomicLong();

  volatile CountDownLatch askedAndHung = new CountDownLatch(1);
  volatile boolean hang;
  TestAgent agent;
  NativeDoor door;
  RawClient client;

  @BeforeEach
  void start() throws IOException {
    use(settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 8));
  }

  static EngineSettings settings(
      Duration sessionIdle, Duration leaseLifetime, int maxSessions, int maxRequests) {
    return TestDoor.settings(sessionIdle, leaseLifetime, maxSessions, maxRequests, Duration.ZERO);
  }

  final void use(EngineSettings settings) throws IOException {
    agent = TestAgent.named("me").start();
    door =
        TestDoor.start(
            agent, settings, this::lookUp, counters, () -> System.nanoTime() + skippedNanos.get());
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    if (hang) {
      askedAndHung.countDown();
      new CountDownLatch(1).await();
    }
    return requireNonNull(fleet.get());
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
  }

  long open() {
    return TestDoor.open(client);
  }

  static byte[] body(ChunkKey key) {
    byte[] body = new byte[PAGE];
    TestAgent.fill(MemorySegment.ofArray(body), key);
    return body;
  }

  static List<byte[]> bodies(List<ChunkKey> keys) {
    return keys.stream().map(NativeDoorFixture::body).toList();
  }

  EngineStoreRetMsg store(long session, long lease, List<ChunkKey> keys, boolean hold) {
    EngineStoreMsg store =
        new EngineStoreMsg(
            session, lease, texts(keys), Collections.nCopies(keys.size(), TestAgent.TOKENS), hold);
    return client.askForAll(EngineStoreRetMsg.class, store, bodies(keys)).message();
  }
}

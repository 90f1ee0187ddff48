package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePinRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.EngineUnpinRetMsg;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PIN-2: lookups, pins and pulls of several engines leave nothing held, and nothing is taken from
 * anybody by force. The property {@code kvmesh.test.soak} says for how many seconds.
 */
@Timeout(3600)
class PinSoakTest {

  private static final Logger LOG = LoggerFactory.getLogger(PinSoakTest.class);
  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 2));
  private static final int ENGINES = 4;
  private static final int PAGES = 48;
  private static final int KEYS = 64;
  private static final int MOST = 6;
  private static final long DEADLINE_MILLIS = 5_000;

  @Test
  void lookupsPinsAndPulls_leaveNothingHeld() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").pages(KEYS, PAGE).start();
        TestAgent agent = TestAgent.named("me").pages(PAGES, PAGE).start();
        ExecutorService engines = Executors.newFixedThreadPool(ENGINES)) {
      owner.store(TestAgent.keys(1, KEYS));
      Duration hour = Duration.ofHours(1);
      try (NativeDoor door =
          TestDoor.start(
              agent,
              TestDoor.settings(hour, hour, ENGINES, ENGINES, Duration.ZERO),
              (keyspace, hashes, atMost) -> all(owner, hashes),
              new Counters<>(EngineCount.class))) {
        long requests = requests(door.port(), engines);
        CacheStats.Pins pins = agent.cache.stats().pins();
        LOG.info("{} requests, {} chunks pulled", requests, agent.cache.stats().admitted());
        assertThat(agent.cache.stats().admitted()).as("pulled").isPositive();
        assertThat(pins).isEqualTo(new CacheStats.Pins(0, 0, 0, 0));
        agent.requireSettled();
        owner.requireSettled();
      }
    }
  }

  private static LookupOutcome all(TestAgent owner, List<ChunkHash> hashes) {
    return new LookupOutcome.Found(
        List.of(new Holder("owner", "LocalCPUBackend", hashes.size(), owner.address(), -1)));
  }

  private static long requests(int port, ExecutorService engines) throws Exception {
    long end = System.nanoTime() + SOAK.toNanos();
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < ENGINES; i++) {
      Random random = new Random(i);
      tasks.add(
          () -> {
            try (RawClient client = RawClient.dealer("127.0.0.1:" + port)) {
              return new Engine(client, random).until(end);
            }
          });
    }
    long requests = 0;
    for (Future<Long> each : engines.invokeAll(tasks)) {
      requests += each.get();
    }
    return requests;
  }

  private static final class Engine {

    private final RawClient client;
    private final Random random;
    private long session;

    Engine(RawClient client, Random random) {
      this.client = client;
      this.random = random;
      this.session = TestDoor.open(client);
    }

    long until(long end) {
      long requests = 0;
      do {
        request();
        requests++;
      } while (System.nanoTime() < end);
      closeSession();
      return requests;
    }

    private void request() {
      List<String> keys = texts(prompt());
      switch (random.nextInt(8)) {
        case 0 -> release(lookUp(keys, true).leaseId());
        case 1 -> lookUp(keys, false);
        case 2, 3 -> release(retrieve(0, keys));
        case 4, 5 -> release(retrieve(lookUp(keys, true).leaseId(), keys));
        case 6 -> pinned(keys);
        default -> left(keys);
      }
    }

    private List<ChunkKey> prompt() {
      int first = random.nextInt(KEYS - MOST);
      return TestAgent.keys(1 + first, 1 + random.nextInt(MOST));
    }

    private EngineLookupRetMsg lookUp(List<String> keys, boolean lease) {
      return client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, keys, lease));
    }

    private long retrieve(long lease, List<String> keys) {
      return client
          .askForAll(
              EngineRetrieveRetMsg.class,
              new EngineRetrieveMsg(session, lease, keys, DEADLINE_MILLIS),
              List.of())
          .message()
          .leaseId();
    }

    private void release(long lease) {
      if (lease != 0) {
        client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, lease));
      }
    }

    /** The same request pins twice and unpins once. */
    private void pinned(List<String> keys) {
      String request = "request " + random.nextInt();
      pin(request, keys);
      pin(request, keys);
      client.ask(EngineUnpinRetMsg.class, new EngineUnpinMsg(session, request, List.of()));
    }

    private void pin(String request, List<String> keys) {
      client.ask(EnginePinRetMsg.class, new EnginePinMsg(session, request, keys));
    }

    /** The session ends with what it holds. */
    private void left(List<String> keys) {
      pin("left", keys);
      retrieve(lookUp(keys, true).leaseId(), keys);
      closeSession();
      session = TestDoor.open(client);
    }

    private void closeSession() {
      client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session));
    }
  }
}

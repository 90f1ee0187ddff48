package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.quickstart.SyncingWorker.Counts;
import io.kvmesh.quickstart.SyncingWorker.Doors;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.replay.Latency;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The controller of a hundred full LMCache workers starts anew, with what Redis has or with nothing
 * at all: then all list what they hold at the same moment, two million keys, while others look up.
 */
@Tag("replay")
@Isolated("others would lengthen its lookups, which have a bound")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HundredWorkersIT {

  private static final Logger LOG = LoggerFactory.getLogger(HundredWorkersIT.class);

  private static final int WORKERS = 100;
  private static final long PLACEMENTS = (long) WORKERS * SyncingWorker.KEYS;
  private static final Duration SLOWEST_LOOKUPS = Duration.ofSeconds(1);

  /** As the README has it. */
  private static final Duration WHOLE_AGAIN = Duration.ofMinutes(1);

  private final Http http = new Http();
  private final Random random = new Random(10);
  private Fleet fleet;
  private SyncingWorkers workers;

  @BeforeAll
  void fill(@TempDir Path folder) throws Exception {
    String heartbeat = "127.0.0.1:" + LoopbackPorts.free();
    FleetSettings settings =
        new FleetSettings(1, List.of(), 1 << 10)
            .with(
                "--kvmesh.zmq.heartbeat-bind=tcp://" + heartbeat,
                "--kvmesh.advertise-loopback=true");
    fleet = Fleet.create(settings, Modules.ofThisBuild(), WorkFolder.create(folder), http);
    fleet.start();
    String pull = fleet.controller().address(Fleet.CONTROLLER_PULL);
    String reply = fleet.controller().address(Fleet.CONTROLLER_REPLY);
    workers = SyncingWorkers.start(WORKERS, new Doors(pull, reply, heartbeat));
    awaitWhole(WORKERS);
  }

  @AfterAll
  void stop() throws Exception {
    try {
      if (workers != null) {
        workers.close();
      }
    } finally {
      fleet.close();
    }
  }

  @Test
  void redisAndLogEmpty_allListAtOnce_lookupsGoOnAndNobodyIsWrittenOff() throws Exception {
    Counts before = workers.counts();
    fleet.controller().kill();
    Losses.redis(fleet);
    Losses.log(fleet);

    restartUnderLookups("with neither Redis nor log", WORKERS);

    assertThat(workers.counts().syncs() - before.syncs()).isEqualTo(WORKERS);
    assertThat(counted("memory", "snapshots")).isEqualTo(WORKERS);
  }

  @Test
  void redisKept_nobodyListsAnything() throws Exception {
    Counts before = workers.counts();
    fleet.controller().kill();

    restartUnderLookups("with Redis", 0);

    assertThat(workers.counts().syncs()).isEqualTo(before.syncs());
  }

  private void restartUnderLookups(String how, int listed) throws Exception {
    long begin = System.nanoTime();
    fleet.controller().start();
    long ready = System.nanoTime();
    SteadyLookups lookups =
        SteadyLookups.start(WORKERS, fleet.controller().address(Fleet.CONTROLLER_REPLY));
    Latency latency;
    try {
      awaitWhole(listed);
    } finally {
      latency = lookups.stop();
    }
    LOG.info(
        "{}: ready after {} ms, whole after {} ms; {} lookups, p50 {} ms, p99 {} ms; {}",
        how,
        TimeUnit.NANOSECONDS.toMillis(ready - begin),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
        latency.count(),
        latency.p50Nanos() / 1e6,
        latency.p99Nanos() / 1e6,
        workers.counts());
    assertThat(Duration.ofNanos(latency.p99Nanos())).isLessThan(SLOWEST_LOOKUPS);
    assertThat(counted("memory", "expired")).isZero();
    assertThat(counted("durable", "expired")).isZero();
    assertThat(http.get(rest(), "/api/v1/workers").orElseThrow().path("writtenOff")).isEmpty();
  }

  /**
   * Both views have all, no worker is suspect or busy any more, and lookups say so.
   *
   * @param listed workers that have told the controller all they hold since its start
   */
  private void awaitWhole(int listed) throws Exception {
    await()
        .atMost(WHOLE_AGAIN)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(
            () -> {
              assertThat(placements()).isEqualTo(PLACEMENTS);
              assertThat(workers.busy()).isZero();
              assertThat(http.get(rest(), "/api/v1/workers").orElseThrow().path("workers"))
                  .hasSize(WORKERS)
                  .allMatch(worker -> worker.path("state").asString().equals("LIVE"));
              assertThat(counted("durable", "snapshots")).isEqualTo(listed);
            });
    for (int i = 0; i < WORKERS; i++) {
      int first = random.nextInt(SyncingWorker.KEYS - SteadyLookups.KEYS + 1);
      JsonNode best = lookup(i, first).path("best");
      assertThat(best.path("instanceId").asString()).isEqualTo(SyncingWorker.instance(i));
      assertThat(best.path("chunks").asInt()).isEqualTo(SteadyLookups.KEYS);
    }
  }

  private String rest() {
    return fleet.controller().address(Fleet.REST);
  }

  private long placements() throws InterruptedException {
    return http.get(rest(), "/api/v1/keys/stats").orElseThrow().path("placements").asLong();
  }

  private long counted(String view, String counter) throws InterruptedException {
    return http.get(rest(), "/actuator/kvindex").orElseThrow().path(view).path(counter).asLong(-1);
  }

  private JsonNode lookup(int worker, int first) throws InterruptedException {
    ObjectNode request = JsonMapper.shared().createObjectNode();
    IntStream.range(first, first + SteadyLookups.KEYS)
        .mapToObj(key -> Long.toUnsignedString(SyncingWorker.key(worker, key).bits()))
        .forEach(request.withArray("hashes")::add);
    return http.post(rest(), "/api/v1/lookup", request).orElseThrow();
  }
}

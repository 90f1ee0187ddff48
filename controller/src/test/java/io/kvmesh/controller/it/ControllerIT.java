package io.kvmesh.controller.it;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DeRegisterMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Events on the log come out of REST and ZeroMQ; commands go to the workers. */
@Timeout(300)
class ControllerIT {

  private static final String CLUSTER = "it";

  @TempDir private static Path dir;
  private static EmbeddedKafka kafka;
  private static EmbeddedRedis redis;
  private static RunningController controller;

  @BeforeAll
  static void start() throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
    controller =
        RunningController.start(
            "--kvmesh.cluster=" + CLUSTER,
            "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
            "--kvmesh.kafka.partitions=3",
            "--kvmesh.redis.uri=" + redis.uri());
    await().atMost(RunningController.WAIT).until(controller::isReady);
  }

  @AfterAll
  static void stop() {
    controller.close();
    redis.close();
    kafka.close();
  }

  @Test
  void events_comeOutOfRestAndZeroMq() throws Exception {
    WorkerId id = new WorkerId("agent", 0);
    try (ScriptedAgent agent = agent(id, 1)) {
      agent.up();
      agent.admit(1, 2, 3, -5L);
      agent.evict(3);

      assertThat(controller.applied(id, agent.epoch(), 5).at("/applied").asBoolean()).isTrue();
      JsonNode worker = controller.get("/api/v1/workers/agent/0");
      assertThat(worker.at("/state").asString()).isEqualTo("LIVE");
      assertThat(worker.at("/epoch").asLong()).isEqualTo(agent.epoch());
      assertThat(worker.at("/sequence").asLong()).isEqualTo(5);
      assertThat(worker.at("/chunks").asLong()).isEqualTo(3);
      assertThat(worker.at("/gaps").asLong()).isZero();
      JsonNode holders =
          controller.post("/api/v1/holders", "{\"hashes\":[\"18446744073709551611\",3]}");
      assertThat(holders.at("/chunks/0/holders/0/instanceId").asString()).isEqualTo("agent");
      assertThat(holders.at("/chunks/1/holders").toString()).isEqualTo("[]");
      JsonNode prefix =
          controller.post(
              "/api/v1/lookup",
              "{\"hashes\":[1,2,3],\"keyspace\":\"%s\"}".formatted(agent.keyspace()));
      assertThat(prefix.at("/best/chunks").asInt()).isEqualTo(2);

      assertThat(controller.ask(lookup(agent, "asker", 1, 2, -5L, 3)))
          .isEqualTo(
              new BatchedP2PLookupRetMsg(
                  List.of(new PeerLayout("agent", CPU, 3, agent.peerInitUrl())),
                  List.of(agent.epoch())));
      assertThat(controller.ask(lookup(agent, "agent", 1, 2)))
          .isEqualTo(new BatchedP2PLookupRetMsg(List.of(PeerLayout.MISS)));
    }
  }

  @Test
  void hashesThatDifferOnlyInTheirHighestBits_stayApart() throws Exception {
    WorkerId id = new WorkerId("bits", 0);
    long hash = 0x3000_0000_0000_0001L;
    List<Long> four = List.of(hash, hash + (1L << 32), hash + (1L << 53), hash ^ Long.MIN_VALUE);
    List<String> texts = four.stream().map(Long::toUnsignedString).toList();
    try (ScriptedAgent agent = agent(id, 1)) {
      agent.up();
      for (int i = 0; i < four.size(); i++) {
        agent.admit(four.get(i));
        assertThat(controller.applied(id, agent.epoch(), i + 1).at("/applied").asBoolean())
            .isTrue();
        JsonNode held = controller.post("/api/v1/holders", "{\"hashes\":" + texts + "}");
        for (int other = 0; other < four.size(); other++) {
          assertThat(held.at("/chunks/%d/hash".formatted(other)).asString())
              .isEqualTo(texts.get(other));
          assertThat(held.at("/chunks/%d/holders".formatted(other)).size())
              .isEqualTo(other <= i ? 1 : 0);
        }
      }
      assertThat(controller.get("/api/v1/workers/bits/0").at("/chunks").asLong()).isEqualTo(4);
      long[] all = four.stream().mapToLong(Long::longValue).toArray();
      try (RedisIndex durable = RedisIndex.of(CLUSTER, redis.uri(), Duration.ofSeconds(5))) {
        await()
            .atMost(RunningController.WAIT)
            .until(() -> durable.prefix(id, CPU, agent.keyspace(), all) == 4);
        assertThat(durable.totals(id).count()).isEqualTo(4);
      }
      agent.evict(four.get(2));
      assertThat(controller.applied(id, agent.epoch(), 5).at("/applied").asBoolean()).isTrue();
      assertThat(controller.ask(lookup(agent, "asker", four.get(0), four.get(1), four.get(3))))
          .isEqualTo(
              new BatchedP2PLookupRetMsg(
                  List.of(new PeerLayout("bits", CPU, 3, agent.peerInitUrl())),
                  List.of(agent.epoch())));
    }
  }

  @Test
  void barrier_overZeroMqWaitsForTheLog() throws Exception {
    WorkerId id = new WorkerId("barrier", 0);
    try (ScriptedAgent agent = agent(id, 1)) {
      agent.up();
      var early = new AppliedMsg("barrier", 0, agent.epoch(), 2, 50);
      assertThat(controller.ask(early))
          .isInstanceOfSatisfying(
              AppliedRetMsg.class, reply -> assertThat(reply.applied()).isFalse());

      agent.admit(1, 2);

      assertThat(controller.ask(new AppliedMsg("barrier", 0, agent.epoch(), 2, 30_000)))
          .isEqualTo(new AppliedRetMsg(true, agent.epoch(), 2));
      long old = agent.epoch();
      agent.up();
      assertThat(controller.applied(id, agent.epoch(), 0).at("/applied").asBoolean()).isTrue();
      assertThat(controller.applied(id, old, 7).at("/outcome").asString()).isEqualTo("SUPERSEDED");
    }
  }

  @Test
  void heartbeatReply_namesTheEpochTheViewHolds() throws Exception {
    WorkerId id = new WorkerId("beating", 0);
    try (ScriptedAgent agent = agent(id, 1)) {
      agent.up();
      agent.admit(1);
      controller.applied(id, agent.epoch(), 1);

      assertThat(
              controller.ask(new HeartbeatMsg("beating", 0, "127.0.0.1", 1, null, agent.epoch())))
          .isEqualTo(new HeartbeatRetMsg(List.of(), agent.epoch()));
      assertThat(controller.ask(new HeartbeatMsg("nobody", 0, "127.0.0.1", 1, null, 5L)))
          .isInstanceOfSatisfying(
              HeartbeatRetMsg.class, reply -> assertThat(reply.commands()).hasSize(1));
    }
  }

  @Test
  void clear_isAReceiptAndTheIndexFollowsTheLog() throws Exception {
    WorkerId id = new WorkerId("cleared", 0);
    try (ControlDoor door = new ControlDoor(request -> new ClearWorkerRetMsg(0));
        ScriptedAgent agent = agent(id, door.port())) {
      agent.up();
      agent.admit(11, 12);
      controller.applied(id, agent.epoch(), 2);
      door.script(request -> new ClearWorkerRetMsg(512, agent.epoch(), 4L, 2L));

      JsonNode receipt = controller.post("/api/v1/commands/clear", "{\"instanceId\":\"cleared\"}");

      assertThat(receipt.at("/state").asString()).isEqualTo("DONE");
      assertThat(receipt.at("/tokens").asLong()).isEqualTo(512);
      assertThat(receipt.at("/workers/0/sequence").asLong()).isEqualTo(4);
      assertThat(controller.get("/api/v1/workers/cleared/0").at("/chunks").asLong()).isEqualTo(2);
      agent.evict(11, 12);
      controller.applied(id, agent.epoch(), 4);
      assertThat(controller.get("/api/v1/workers/cleared/0").at("/chunks").asLong()).isZero();
    }
  }

  @Test
  void foreignWorker_registersPushesAndLeaves() throws Exception {
    assertThat(controller.ask(new RegisterMsg("lmcache", 3, "127.0.0.1", 1, "10.0.0.1:9")))
        .isInstanceOf(RegisterRetMsg.class);
    try (ZmqSocket push = controller.push()) {
      push.send(
          List.of(
              Frame.of(controller.encode(operations("lmcache", 3, 0, 7, 8))),
              Frame.of("garbage".getBytes(StandardCharsets.UTF_8)),
              Frame.of(controller.encode(operations("lmcache", 3, 2, 9)))));
      await()
          .atMost(RunningController.WAIT)
          .until(() -> controller.get("/api/v1/workers/lmcache/3").at("/chunks").asLong() == 3);

      var question =
          new BatchedP2PLookupMsg(
              List.of(ChunkHash.ofSigned(7), ChunkHash.ofSigned(8), ChunkHash.ofSigned(1)),
              "other",
              3);
      assertThat(controller.ask(question))
          .isEqualTo(
              new BatchedP2PLookupRetMsg(List.of(new PeerLayout("lmcache", CPU, 2, "10.0.0.1:9"))));

      push.send(controller.encode(new DeRegisterMsg("lmcache", 3, "127.0.0.1", 1)));
      await()
          .atMost(RunningController.WAIT)
          .until(() -> controller.status("/api/v1/workers/lmcache/3") == 404);
      assertThat(controller.ask(question))
          .isEqualTo(new BatchedP2PLookupRetMsg(List.of(PeerLayout.MISS)));
    }
  }

  @Test
  void operations_areSeenFromOutside() throws Exception {
    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () -> {
              JsonNode parts = controller.get("/actuator/health").at("/components");
              assertThat(parts.at("/index/status").asString()).isEqualTo("UP");
              assertThat(parts.at("/kafka/status").asString()).isEqualTo("UP");
              assertThat(parts.at("/redis/status").asString()).isEqualTo("UP");
            });
    assertThat(controller.get("/actuator/kvindex").at("/status/ready").asBoolean()).isTrue();
    assertThat(controller.get("/actuator/kvindex").at("/status/lags").size()).isEqualTo(3);
    assertThat(controller.status("/actuator/workers")).isEqualTo(200);
    assertThat(controller.status("/actuator/workers/unknown")).isEqualTo(404);
    assertThat(controller.get("/actuator/info").at("/doors/reply").asInt()).isPositive();
    for (String hidden : List.of("env", "heapdump", "configprops", "threaddump", "loggers")) {
      assertThat(controller.status("/actuator/" + hidden)).isEqualTo(404);
    }
    assertThat(controller.text("/actuator/prometheus"))
        .contains(
            "kvmesh_controller_placements",
            "kvmesh_controller_workers{state=\"live\"}",
            "kvmesh_controller_lag_records{view=\"memory\"}",
            "kvmesh_controller_lag_seconds{view=\"durable\"}",
            "kvmesh_controller_gaps_total{view=\"memory\"}",
            "kvmesh_controller_duplicates_total{view=\"memory\"}",
            "kvmesh_controller_garbage_total{socket=\"pull\"}",
            "kvmesh_controller_garbage_total{socket=\"log\"}",
            "kvmesh_controller_lookups_seconds_bucket{outcome=\"hit\"",
            "kvmesh_controller_snapshots_total{view=\"memory\"}",
            "kvmesh_controller_dependency_up{dependency=\"redis\"} 1.0",
            "kvmesh_controller_dependency_up{dependency=\"kafka\"} 1.0");
  }

  @Test
  void requestsWithRandomIds_leaveNoSeriesBehind() throws Exception {
    askRandomly("warm");
    long before = series();
    assertThat(before).isGreaterThan(100);

    for (int i = 0; i < 200; i++) {
      askRandomly("random" + i);
    }

    assertThat(series()).isLessThan(before + 100);
  }

  private static void askRandomly(String id) throws Exception {
    controller.status("/" + id);
    controller.status("/api/v1/workers/" + id + "/0");
    controller.post("/api/v1/commands/clear", "{\"instanceId\":\"" + id + "\"}");
    controller.post("/clear", "{\"instance_id\":\"" + id + "\",\"location\":\"x\"}");
    controller.ask(new HeartbeatMsg(id, 0, "127.0.0.1", 1, null, 5L));
  }

  private static long series() throws Exception {
    return controller
        .text("/actuator/prometheus")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .count();
  }

  private static ScriptedAgent agent(WorkerId id, int controlPort) {
    return new ScriptedAgent(kafka.bootstrapServers(), CLUSTER, id, controlPort);
  }

  private static BatchedP2PLookupMsg lookup(ScriptedAgent holder, String asker, long... hashes) {
    return new BatchedP2PLookupMsg(
        java.util.Arrays.stream(hashes).mapToObj(ChunkHash::ofUnsigned).toList(),
        asker,
        holder.id().rank(),
        holder.keyspace().toString());
  }

  private static BatchedKVOperationMsg operations(
      String instanceId, int rank, long firstNumber, long... hashes) {
    var operations = new java.util.ArrayList<KVOpEvent>();
    for (long hash : hashes) {
      operations.add(
          new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(hash), firstNumber + operations.size()));
    }
    return new BatchedKVOperationMsg(instanceId, rank, CPU, operations);
  }
}

package io.kvmesh.controller.it;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.FullSyncBatchMsg;
import io.kvmesh.common.wire.directory.FullSyncEndMsg;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStartRetMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker's full sync of which two controllers get a part each; one of them starts anew. */
@Timeout(300)
class FullSyncIT {

  private static final String SYNC = "W_0_5ab1";

  @TempDir private Path dir;
  private EmbeddedKafka kafka;
  private EmbeddedRedis redis;
  private RunningController one;
  private RunningController other;
  private final Map<RunningController, ZmqSocket> pushes = new HashMap<>();

  @BeforeEach
  void start() throws Exception {
    kafka = EmbeddedKafka.start(dir.resolve("kafka"), 0);
    redis = EmbeddedRedis.start(dir.resolve("redis"), 0);
    one = controller();
    other = controller();
  }

  private RunningController controller() {
    RunningController controller =
        RunningController.start(
            "--kvmesh.cluster=sync",
            "--kvmesh.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
            "--kvmesh.kafka.partitions=3",
            "--kvmesh.redis.uri=" + redis.uri());
    await().atMost(RunningController.WAIT).until(controller::isReady);
    return controller;
  }

  private void close(RunningController controller) {
    ZmqSocket push = pushes.remove(controller);
    if (push != null) {
      push.close();
    }
    controller.close();
  }

  @AfterEach
  void stop() {
    pushes.values().forEach(ZmqSocket::close);
    one.close();
    other.close();
    redis.close();
    kafka.close();
  }

  @Test
  void anyControllerTakesAnyPart_andTellsHowFarItIs() throws Exception {
    assertThat(one.ask(new RegisterMsg("W", 0, "127.0.0.1", 7000, "W:1")))
        .isInstanceOf(RegisterRetMsg.class);
    push(other, operations(0, 1, 2, 3, 4, 90, 91));
    awaitPrefix(one, 2, 90, 91);
    push(one, operations(9, 5));
    awaitCommand(other, "worker_suspect");

    assertThat(one.ask(new FullSyncStartMsg("W", 0, CPU, SYNC, 6, 3)))
        .isEqualTo(new FullSyncStartRetMsg(SYNC, true, null));
    push(other, batch(0, 1, 2), batch(2, 5, 6));
    push(one, new FullSyncEndMsg("W", 0, CPU, SYNC, 6));

    for (RunningController asked : List.of(one, other)) {
      awaitStatus(asked, new FullSyncStatusRetMsg(SYNC, false, 0, false, List.of(1)));
      awaitPrefix(asked, 2, 90, 91);
    }
    push(one, batch(1, 3, 4));
    for (RunningController asked : List.of(other, one)) {
      awaitStatus(asked, new FullSyncStatusRetMsg(SYNC, true, 1, true, List.of()));
      awaitPrefix(asked, 6, 1, 2, 3, 4, 5, 6);
      awaitPrefix(asked, 0, 90, 91);
    }

    close(one);
    one = controller();
    awaitStatus(one, new FullSyncStatusRetMsg(SYNC, true, 1, true, List.of()));
    awaitPrefix(one, 6, 1, 2, 3, 4, 5, 6);
    awaitPrefix(one, 0, 90, 91);
    assertThat(one.ask(heartbeat())).isEqualTo(new HeartbeatRetMsg(List.of()));
  }

  @Test
  void controllerThatStartsInTheMiddle_isRightAfterTheNextOne() throws Exception {
    one.ask(new RegisterMsg("W", 0, "127.0.0.1", 7000, "W:1"));
    push(one, operations(0, 1, 2));
    awaitPrefix(other, 2, 1, 2);
    one.ask(new FullSyncStartMsg("W", 0, CPU, SYNC, 4, 2));
    push(one, batch(0, 1, 3));
    awaitPrefix(other, 2, 1, 3);

    close(other);
    other = controller();

    var status = (FullSyncStatusRetMsg) other.ask(new FullSyncStatusMsg("W", 0, SYNC));
    assertThat(status.isComplete()).isFalse();
    awaitPrefix(other, 2, 1, 2);
    assertThat(other.ask(new FullSyncStartMsg("W", 0, CPU, SYNC, 3, 2)))
        .isEqualTo(new FullSyncStartRetMsg(SYNC, true, null));
    push(other, batch(1, 8), batch(0, 1, 3), new FullSyncEndMsg("W", 0, CPU, SYNC, 3));
    for (RunningController asked : List.of(one, other)) {
      awaitStatus(asked, new FullSyncStatusRetMsg(SYNC, true, 1, true, List.of()));
      awaitPrefix(asked, 3, 1, 3, 8);
      awaitPrefix(asked, 0, 2);
    }
  }

  /** The sockets stay open: closing one drops what isn't sent yet. */
  private void push(RunningController to, DirectoryMessage... messages) throws Exception {
    ZmqSocket push = pushes.get(to);
    if (push == null) {
      push = to.push();
      pushes.put(to, push);
    }
    for (DirectoryMessage message : messages) {
      push.send(to.encode(message));
    }
  }

  private static BatchedKVOperationMsg operations(long first, long... hashes) {
    List<KVOpEvent> admits =
        LongStream.range(0, hashes.length)
            .mapToObj(
                i -> new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(hashes[(int) i]), first + i))
            .toList();
    return new BatchedKVOperationMsg("W", 0, CPU, admits);
  }

  private static FullSyncBatchMsg batch(int number, long... hashes) {
    return new FullSyncBatchMsg("W", 0, CPU, SYNC, number, keys(hashes));
  }

  private static List<ChunkHash> keys(long... hashes) {
    return LongStream.of(hashes).mapToObj(ChunkHash::ofSigned).toList();
  }

  private static HeartbeatMsg heartbeat() {
    return new HeartbeatMsg("W", 0, "127.0.0.1", 7000, "W:1");
  }

  private static void awaitPrefix(RunningController asked, int chunks, long... hashes) {
    var question = new BatchedP2PLookupMsg(keys(hashes), "asker", 0, null);
    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () -> {
              var answer = (BatchedP2PLookupRetMsg) asked.ask(question);
              assertThat(answer.layoutInfo().getFirst().numHitChunks()).isEqualTo(chunks);
            });
  }

  private static void awaitCommand(RunningController asked, String reason) {
    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () -> assertThat(asked.ask(heartbeat()).toString()).contains("reason=" + reason));
  }

  private static void awaitStatus(RunningController asked, FullSyncStatusRetMsg wanted) {
    await()
        .atMost(RunningController.WAIT)
        .untilAsserted(
            () -> assertThat(asked.ask(new FullSyncStatusMsg("W", 0, SYNC))).isEqualTo(wanted));
  }
}

package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.drain.Drainers;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.UndrainWorkerMsg;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Drains on command, over a socket. */
@Timeout(120)
class DrainCommandsTest {

  private static final String LOCATION = "LocalCPUBackend";
  private static final int PAGE = 4096;

  private final Counters<ControlCount> counters = new Counters<>(ControlCount.class);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private volatile boolean hang;
  private TestAgent agent;
  private TestAgent stays;
  private Drainer drainer;
  private ControlServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").pages(64, PAGE).start();
    stays = TestAgent.named("stays").pages(64, PAGE).start();
    DrainAdvisor advisor =
        (keyspace, hashes, atMost) -> {
          if (hang) {
            mayAnswer.await();
          }
          return new DrainAdvice.Told(List.of(stays.address()), List.of());
        };
    drainer = Drainers.of(agent, advisor);
    CommandDesk desk =
        new CommandDesk(
            agent.self,
            LOCATION,
            agent.cache,
            agent.mover,
            Prefetchers.of(
                agent,
                Prefetchers.fleet(agent, (keyspace, hashes, atMost) -> new LookupOutcome.Miss())),
            drainer,
            new PeerReachability(agent.client, ReachWorkerMsg.MOST_PEERS, System::nanoTime),
            agent.server::initAddress,
            null,
            List::of,
            counters);
    server = new ControlServer(desk, agent.sockets, new MessageCodec(), counters, System::nanoTime);
    server.start("tcp://127.0.0.1:0", SocketSettings.DEFAULT);
    client = RawClient.req("127.0.0.1:" + server.port());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
    drainer.close();
    agent.close();
    stays.close();
  }

  private static DrainWorkerMsg drain(String id, @Nullable String target, long maxBytes) {
    return new DrainWorkerMsg(id, LOCATION, target, 0, maxBytes);
  }

  @Test
  void drain_isAnsweredWhenItIsOver_andHarmlessIfRepeated() {
    agent.store(TestAgent.keys(1, 6));
    assertThat(drainer.state()).isNull();

    DrainWorkerRetMsg reply = client.ask(DrainWorkerRetMsg.class, drain("d", null, 0));

    assertThat(drainer.state()).isEqualTo(DrainState.DRAINED);
    assertThat(reply.stopped()).isNull();
    assertThat(reply.chunks()).isEqualTo(6);
    assertThat(reply.bytes()).isEqualTo(6 * PAGE);
    assertThat(reply.numTokens()).isEqualTo(6L * TestAgent.TOKENS);
    assertThat(reply.epoch()).isEqualTo(100);
    assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 6));
    assertThat(reply.targets()).containsExactly(stays.address());
    assertThat(stays.resident(TestAgent.keys(1, 6))).isEqualTo(6);
    assertThat(agent.resident(TestAgent.keys(1, 6))).isEqualTo(6);
    assertThat(client.ask(DrainWorkerRetMsg.class, new CheckDrainWorkerMsg("d"))).isEqualTo(reply);
    assertThat(client.ask(DrainWorkerRetMsg.class, drain("e", null, 0)).outcomes())
        .isEqualTo(Map.of(MoveOutcome.RESIDENT, 6));
    assertThat(counters.get(ControlCount.DRAIN)).isEqualTo(2);
  }

  @Test
  void whatIsLeft_isTold_andWhy() {
    agent.store(TestAgent.keys(1, 6));

    DrainWorkerRetMsg reply = client.ask(DrainWorkerRetMsg.class, drain("d", null, 4 * PAGE));

    assertThat(reply.outcomes()).isEqualTo(Map.of(MoveOutcome.COPIED, 4, MoveOutcome.UNTRIED, 2));
    assertThat(reply.bytes()).isEqualTo(4 * PAGE);
    assertThat(reply.left())
        .containsExactlyInAnyOrderElementsOf(
            TestAgent.keys(1, 2).stream().map(Object::toString).toList());
    assertThat(reply.leftWhy()).containsExactly(MoveOutcome.UNTRIED, MoveOutcome.UNTRIED);
    assertThat(reply.stopped()).contains("as many bytes");
  }

  @Test
  void drainWhileAnotherRuns_saysSo_andCancelEndsIt() throws Exception {
    agent.store(TestAgent.keys(1, 6));
    hang = true;
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      client.tell(drain("d", null, 0), List.of());
      await().until(() -> drainer.underWay().map(it -> it.chunks() == 6).orElse(false));

      ErrorMsg busy = second.ask(ErrorMsg.class, drain("e", null, 0));
      assertThat(busy.code()).isEqualTo("busy");
      assertThat(busy.error()).isEqualTo("Drain 'd' is under way, 0 of 6 chunks are done");
      DrainWorkerRetMsg soFar = second.ask(DrainWorkerRetMsg.class, new CheckDrainWorkerMsg("d"));
      assertThat(soFar.chunks()).isEqualTo(6);
      assertThat(soFar.outcomes()).isEmpty();
      assertThat(drainer.state()).isEqualTo(DrainState.DRAINING);

      second.ask(DrainWorkerRetMsg.class, new CancelDrainWorkerMsg("d"));

      DrainWorkerRetMsg end = client.answer(DrainWorkerRetMsg.class).message();
      assertThat(end.stopped()).isEqualTo("it was cancelled");
      assertThat(end.outcomes()).isEqualTo(Map.of(MoveOutcome.UNTRIED, 6));
      assertThat(drainer.state()).isNull();
    }
  }

  @Test
  void undrain_isAnsweredWithTheDrainThatItEnded_orWithNothing() throws Exception {
    agent.store(TestAgent.keys(1, 6));
    hang = true;
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      client.tell(drain("d", null, 0), List.of());
      await().until(() -> drainer.underWay().map(it -> it.chunks() == 6).orElse(false));

      DrainWorkerRetMsg ended = second.ask(DrainWorkerRetMsg.class, new UndrainWorkerMsg("u"));

      assertThat(ended.stopped()).isEqualTo("it was cancelled");
      assertThat(ended.outcomes()).isEqualTo(Map.of(MoveOutcome.UNTRIED, 6));
      assertThat(client.answer(DrainWorkerRetMsg.class).message()).isEqualTo(ended);
      assertThat(drainer.state()).isNull();
    }
    hang = false;
    client.ask(DrainWorkerRetMsg.class, drain("e", null, 0));
    assertThat(drainer.state()).isEqualTo(DrainState.DRAINED);

    DrainWorkerRetMsg nothing = client.ask(DrainWorkerRetMsg.class, new UndrainWorkerMsg("v"));

    assertThat(nothing.chunks()).isZero();
    assertThat(nothing.outcomes()).isEmpty();
    assertThat(nothing.epoch()).isEqualTo(100);
    assertThat(drainer.state()).isNull();
    assertThat(counters.get(ControlCount.UNDRAIN)).isEqualTo(2);
    drainer.close();
    assertThat(client.ask(ErrorMsg.class, new UndrainWorkerMsg("w")).code()).isEqualTo("busy");
  }

  @Test
  void drainThatCantBe_isRefusedWithTheReason() {
    assertThat(client.ask(ErrorMsg.class, drain("d", agent.address(), 0)).error())
        .contains("is this worker itself");
    assertThat(client.ask(ErrorMsg.class, drain("d", "nowhere", 0)).code())
        .isEqualTo("bad_request");
    assertThat(client.ask(ErrorMsg.class, new DrainWorkerMsg("d", "Disk", null, 0, 0)).code())
        .isEqualTo("bad_request");
    assertThat(client.ask(ErrorMsg.class, new CheckDrainWorkerMsg("x")).code())
        .isEqualTo("not_found");
    assertThat(client.ask(ErrorMsg.class, new CancelDrainWorkerMsg("x")).code())
        .isEqualTo("not_found");
  }
}

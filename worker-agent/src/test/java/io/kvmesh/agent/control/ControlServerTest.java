package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlServerTest {

  private final Counters<ControlCount> counters = new Counters<>(ControlCount.class);
  private TestAgent agent;
  private ControlServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").start();
    server =
        new ControlServer(
            agent.self,
            "LocalCPUBackend",
            agent.cache,
            agent.sockets,
            new MessageCodec(),
            counters,
            System::nanoTime);
    server.start("tcp://127.0.0.1:0", SocketSettings.DEFAULT);
    client = RawClient.req("127.0.0.1:" + server.port());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
    agent.close();
  }

  @Test
  void clear_dropsWhatNobodyHoldsAndTellsHowMuch() {
    agent.store(TestAgent.keys(1, 5));
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(1, 1))) {
      assertThat(held.size()).isEqualTo(1);

      assertThat(client.ask(ClearWorkerRetMsg.class, new ClearWorkerMsg("e", "LocalCPUBackend")))
          .isEqualTo(new ClearWorkerRetMsg(4L * TestAgent.TOKENS, 100L, 9L, 4L));
    }
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(1);
  }

  @Test
  void clear_ofALocationThatIsNotHere_isAnError() {
    agent.store(TestAgent.keys(1, 5));
    ErrorMsg error = client.ask(ErrorMsg.class, new ClearWorkerMsg("e", "LocalDiskBackend"));
    assertThat(error.error()).contains("LocalDiskBackend");
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(5);
  }

  @Test
  void health_isBadOnceFenced() {
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
    agent.fenced.set(true);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode())
        .isEqualTo(-1);
  }

  @Test
  void otherCommands_areUnsupported() {
    ControlRequest pin = new PinWorkerMsg("e", "LocalCPUBackend", List.of(1L));
    assertThat(client.ask(ErrorMsg.class, pin).code()).isEqualTo("unsupported");
    assertThat(counters.get(ControlCount.UNSUPPORTED)).isEqualTo(1);
  }

  @Test
  void garbage_isAnErrorAndTheDoorStaysOpen() {
    byte[] foreign = new MessageCodec().encode(new BatchedGetDoneMsg(1));
    for (byte[] garbage : List.of(new byte[] {(byte) 0xc1}, new byte[] {1}, foreign)) {
      client.tellRaw(garbage);
      assertThat(client.answer(ErrorMsg.class).message().code()).isEqualTo("bad_request");
    }
    assertThat(server.refusedFrames().count()).isEqualTo(3);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
  }
}

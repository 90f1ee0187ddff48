package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.drain.Drainers;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.PeerReach;
import io.kvmesh.common.wire.control.ReachOutcome;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which peers an agent can reach, over sockets. */
@Timeout(60)
class ReachCommandsTest {

  private static final int PAGE = 4096;

  private final Counters<ControlCount> counters = new Counters<>(ControlCount.class);
  private TestAgent agent;
  private TestAgent other;
  private Drainer drainer;
  private ControlServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").pages(8, PAGE).connectTimeout(Duration.ofSeconds(3)).start();
    other = TestAgent.named("other").pages(8, PAGE).start();
    drainer =
        Drainers.of(
            agent, (keyspace, hashes, atMost) -> new DrainAdvice.Told(List.of(), List.of()));
    CommandDesk desk =
        new CommandDesk(
            agent.self,
            "LocalCPUBackend",
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
    other.close();
  }

  private List<PeerReach> reach(long timeoutMillis, String... peers) {
    return client
        .ask(ReachWorkerRetMsg.class, new ReachWorkerMsg("r", List.of(peers), timeoutMillis))
        .peers();
  }

  @Test
  void peersThatAnswer_areReached_anewAndOverAConnectionThatIsThere() {
    for (int i = 0; i < 2; i++) {
      assertThat(reach(0, "tcp://" + other.address()))
          .singleElement()
          .satisfies(it -> assertThat(it.outcome()).isEqualTo(ReachOutcome.REACHED))
          .satisfies(it -> assertThat(it.peerInitUrl()).isEqualTo(other.address()))
          .satisfies(it -> assertThat(it.reason()).isNull());
    }
    assertThat(counters.get(ControlCount.REACH)).isEqualTo(2);
    assertThat(agent.cache.position().residentCount()).isZero();
  }

  @Test
  void whatKeepsAPeerFromBeingReached_isToldApart() throws IOException {
    String closed = "127.0.0.1:" + LoopbackPorts.free();
    try (ServerSocket silent = listen(50)) {
      List<PeerReach> outcomes =
          reach(
              0,
              closed,
              "no-such-host.invalid:1",
              "127.0.0.1:" + silent.getLocalPort(),
              "127.0.0.1:port",
              other.address());

      assertThat(outcomes)
          .extracting(PeerReach::outcome)
          .containsExactly(
              ReachOutcome.REFUSED,
              ReachOutcome.UNKNOWN_HOST,
              ReachOutcome.NO_HANDSHAKE,
              ReachOutcome.UNREACHABLE,
              ReachOutcome.REACHED);
      assertThat(outcomes.get(2).reason()).startsWith("no handshake within ");
    }
  }

  @Test
  void hostThatDoesNotAnswer_isTimedOut() throws IOException {
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket full = listen(1)) {
      // The system answers no more connections than may wait to be taken.
      for (int i = 0; i < 2; i++) {
        waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
      }
      assertThat(reach(300, "127.0.0.1:" + full.getLocalPort()))
          .singleElement()
          .extracting(PeerReach::outcome)
          .isEqualTo(ReachOutcome.TIMED_OUT);
    } finally {
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  @Test
  void peerThatIsPassedOver_isTriedAllTheSame() throws IOException {
    int port = LoopbackPorts.free();
    String address = "127.0.0.1:" + port;
    assertThat(reach(0, address)).extracting(PeerReach::outcome).containsOnly(ReachOutcome.REFUSED);
    try (ServerSocket silent = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"))) {
      assertThat(silent.isBound()).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(reach(0, address))
            .singleElement()
            .satisfies(it -> assertThat(it.reason()).startsWith("no handshake within "));
      }
    }
  }

  @Test
  void peerThatRefusesTheHandshake_saysWhy() throws IOException {
    try (TestAgent larger = TestAgent.named("larger").pages(8, 2 * PAGE).start()) {
      assertThat(reach(0, larger.address()))
          .singleElement()
          .satisfies(it -> assertThat(it.outcome()).isEqualTo(ReachOutcome.NO_HANDSHAKE))
          .satisfies(it -> assertThat(it.reason()).contains("a full chunk here has 8192 bytes"));
    }
  }

  @Test
  void whatMakesNoSense_isRefused() {
    List<String> many = Collections.nCopies(ReachWorkerMsg.MOST_PEERS + 1, other.address());
    for (List<String> peers : List.of(many, List.of(agent.address()), List.of("nowhere"))) {
      assertThat(client.ask(ErrorMsg.class, new ReachWorkerMsg("r", peers, 0)).code())
          .isEqualTo("bad_request");
    }
  }

  private static ServerSocket listen(int backlog) throws IOException {
    return new ServerSocket(0, backlog, InetAddress.getByName("127.0.0.1"));
  }
}

package io.kvmesh.agent.control;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.drain.Drainers;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.agent.transfer.TestAgentBuilder;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An agent with its door for commands, and a client of it. */
abstract class ControlFixture {

  static final String LOCATION = "LocalCPUBackend";
  static final List<Long> PROMPT = LongStream.rangeClosed(1, 11).boxed().toList();

  final Counters<ControlCount> counters = new Counters<>(ControlCount.class);

  volatile LookupOutcome fleet = new LookupOutcome.Miss();
  final CountDownLatch answers = new CountDownLatch(1);
  volatile boolean hang;
  @Nullable TokenKeys tokenKeys;
  TestAgent agent;
  Prefetcher prefetcher;
  ControlServer server;
  RawClient client;

  @BeforeEach
  void start() throws IOException {
    start(TestAgent.named("me"));
  }

  final void start(TestAgentBuilder builder) throws IOException {
    agent = builder.start();
    prefetcher = Prefetchers.of(agent, Prefetchers.fleet(agent, this::lookUp));
    CommandDesk desk =
        new CommandDesk(
            agent.self,
            LOCATION,
            agent.cache,
            agent.mover,
            prefetcher,
            Drainers.of(agent, Drainers.NOBODY),
            new PeerReachability(agent.client, ReachWorkerMsg.MOST_PEERS, System::nanoTime),
            agent.server::initAddress,
            tokenKeys,
            List::of,
            counters);
    server = new ControlServer(desk, agent.sockets, new MessageCodec(), counters, System::nanoTime);
    server.start("tcp://127.0.0.1:0", SocketSettings.DEFAULT);
    client = RawClient.req("127.0.0.1:" + server.port());
  }

  LookupOutcome lookUp(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    if (hang) {
      answers.await();
    }
    return fleet;
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
    prefetcher.close();
    agent.close();
  }

  TokenKeys startHashing() throws IOException {
    stop();
    TokenKeys keys =
        new TokenKeys(
            TestAgent.keys(1, 1).getFirst().keyspace(),
            new TokenChunker(ChunkHashing.of("builtin", ""), 4),
            false);
    tokenKeys = keys;
    start(TestAgent.named("me"));
    return keys;
  }

  static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }
}

package io.kvmesh.agent.engine.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traces;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** An agent with one TCP door, on the clock of a test where it wants one. */
public final class DoorFixture implements AutoCloseable {

  public static final int PAGE = 4096;
  public static final int MAX_BODY = 64 * PAGE;
  public static final int MAX_CONNECTIONS = 40;
  public static final Duration IDLE = Duration.ofSeconds(60);
  public static final Duration STALL = Duration.ofSeconds(30);

  /** Nobody has anything. */
  public static final PeerDirectory NOBODY = (keyspace, hashes, atMost) -> new LookupOutcome.Miss();

  public final TestAgent agent;
  public final Counters<DoorCount> counters = new Counters<>(DoorCount.class);
  private final AtomicLong skippedNanos = new AtomicLong();
  private final ChunkDesk desk;
  private final TcpDoor door;
  private final List<TcpDoor> further = new ArrayList<>();

  /** Of an agent with so many pages. */
  public DoorFixture(
      int pages, ExistsScope exists, PeerDirectory directory, Function<ChunkDesk, TcpProtocol> of)
      throws IOException {
    this(pages, exists, directory, (desk, clock) -> of.apply(desk));
  }

  /** As above, of a protocol that needs the test's clock. */
  public DoorFixture(
      int pages,
      ExistsScope exists,
      PeerDirectory directory,
      BiFunction<ChunkDesk, LongSupplier, TcpProtocol> of)
      throws IOException {
    this(pages, exists, directory, of, Traces.off());
  }

  /** As above, with spans. */
  public DoorFixture(
      int pages,
      ExistsScope exists,
      PeerDirectory directory,
      BiFunction<ChunkDesk, LongSupplier, TcpProtocol> of,
      Traces traces)
      throws IOException {
    agent = TestAgent.named("door").pages(pages, PAGE).traces(traces).start();
    LocalLookupCache lookups =
        new LocalLookupCache(
            directory,
            100,
            Duration.ofSeconds(10),
            new Counters<>(DirectoryCount.class),
            System::nanoTime);
    desk =
        new ChunkDesk(
            new EngineApi(agent.cache, new FleetPuller(lookups, agent.puller)),
            agent.cache,
            new BodyForms(BodyRule.ANY, PAGE),
            new ChunkDesk.Terms(exists, Duration.ofSeconds(5), new Reserving.Now()),
            counters,
            traces,
            System::nanoTime);
    door = open(of);
  }

  private TcpDoor open(BiFunction<ChunkDesk, LongSupplier, TcpProtocol> of) throws IOException {
    TcpSettings settings =
        new TcpSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            MAX_CONNECTIONS,
            IDLE,
            STALL);
    TcpDoor opened =
        new TcpDoor("test", settings, of.apply(desk, this::nanoTime), counters, this::nanoTime);
    opened.start();
    return opened;
  }

  /** A further door of the same agent; answers its port. */
  public int openFurther(BiFunction<ChunkDesk, LongSupplier, TcpProtocol> of) throws IOException {
    further.add(open(of));
    return further.getLast().port();
  }

  /** Every prefix is whole at that peer. */
  public static PeerDirectory at(TestAgent peer) {
    return (keyspace, hashes, atMost) ->
        new LookupOutcome.Found(
            List.of(
                new Holder(
                    "other", "LocalCPUBackend", hashes.size(), peer.address(), peer.epoch.get())));
  }

  private long nanoTime() {
    return System.nanoTime() + skippedNanos.get();
  }

  public int port() {
    return door.port();
  }

  /** A client's socket, whose reads end after a while. */
  public Socket connect() throws IOException {
    return connect(port());
  }

  /** As above, at a further door. */
  public static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** Lets time pass for the door's connections. */
  public void skip(Duration time) {
    skippedNanos.addAndGet(time.toNanos());
    door.tick();
  }

  public TcpDoor door() {
    return door;
  }

  /** Waits until that was counted so often. */
  public void awaitCount(DoorCount what, long times) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(counters.get(what)).as("%s", what).isEqualTo(times));
  }

  /** Waits until that was counted at all. */
  public void awaitBegun(DoorCount what) {
    await().atMost(Duration.ofSeconds(30)).until(() -> counters.get(what) > 0);
  }

  /** Waits until a body is being read. */
  public void awaitClaimed() {
    await().atMost(Duration.ofSeconds(30)).until(() -> agent.cache.stats().pendingChunks() == 1);
  }

  /**
   * Lets so much time pass that a connection that waits in the middle of something is cut off. It
   * must have begun: an idle one would be closed as such.
   */
  public void awaitStalled(long times) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              skip(STALL.plusSeconds(1));
              return counters.get(DoorCount.CONNECTION_STALLED) == times;
            });
  }

  /** Waits until no page is claimed or held, and says how many chunks are resident. */
  public int settled() {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              CacheStats stats = agent.cache.stats();
              return stats.pendingChunks() + stats.leasedChunks() + stats.detachedChunks() == 0;
            });
    agent.requireSettled();
    return agent.cache.stats().residentChunks();
  }

  @Override
  public void close() {
    further.forEach(TcpDoor::close);
    door.close();
    agent.close();
  }
}

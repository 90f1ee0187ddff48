package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.CacheOptions;
import io.kvmesh.agent.cache.ChunkMemory;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What an agent is made with. */
public final class TestAgentBuilder {

  final String name;
  int pages = 64;
  private int initialPages = Integer.MAX_VALUE;
  int pageBytes = 4096;
  private boolean ranges;
  long packedBytes;
  long getBytes = 16 * 4096;
  private long maxLoanedPerPeer = 64 << 20;
  private long maxSealed = Long.MAX_VALUE;
  private int maxOverduePerPeer = 8;
  private Duration loanDeadline = Duration.ofSeconds(10);
  private Duration connectTimeout = Duration.ofSeconds(20);
  private Duration passOverMost = Duration.ofMillis(200);
  private Duration idleTimeout = Duration.ofMinutes(1);
  private long maxInFlight = 64 << 20;
  private Duration putDeadline = Duration.ofSeconds(10);
  private Duration hold = Duration.ofSeconds(10);
  private Duration holders = Duration.ofSeconds(20);
  private int maxHeldPercent = 100;
  private int maxDisplacedPercent = 25;
  private int maxPuts = 16;
  SocketSettings sockets = SocketSettings.DEFAULT;
  private String host = "127.0.0.1";
  Optional<Path> file = Optional.empty();
  List<String> channels = Channels.ALL;
  Traces traces = Traces.off();
  CacheOptions options = CacheOptions.DEFAULT;

  TestAgentBuilder(String name) {
    this.name = name;
  }

  public TestAgentBuilder pages(int count, int bytes) {
    pages = count;
    pageBytes = bytes;
    return this;
  }

  public TestAgentBuilder traces(Traces tracing) {
    traces = tracing;
    return this;
  }

  /** Its memory is given out in ranges instead of pages. */
  public TestAgentBuilder ranges() {
    ranges = true;
    return this;
  }

  /** So many are usable at first; the others are taken into use one by one. */
  public TestAgentBuilder initialPages(int count) {
    initialPages = count;
    return this;
  }

  /** Memory for chunks that are compressed. */
  public TestAgentBuilder packedBytes(long bytes) {
    packedBytes = bytes;
    return this;
  }

  public TestAgentBuilder getBytes(long bytes) {
    getBytes = bytes;
    return this;
  }

  public TestAgentBuilder maxLoanedPerPeer(long bytes) {
    maxLoanedPerPeer = bytes;
    return this;
  }

  public TestAgentBuilder maxSealed(long bytes) {
    maxSealed = bytes;
    return this;
  }

  public TestAgentBuilder overdue(Duration deadline, int mostPerPeer) {
    loanDeadline = deadline;
    maxOverduePerPeer = mostPerPeer;
    return this;
  }

  public TestAgentBuilder connectTimeout(Duration timeout) {
    connectTimeout = timeout;
    return this;
  }

  public TestAgentBuilder passOver(Duration most) {
    passOverMost = most;
    return this;
  }

  public TestAgentBuilder idleTimeout(Duration timeout) {
    idleTimeout = timeout;
    return this;
  }

  public TestAgentBuilder maxInFlight(long bytes) {
    maxInFlight = bytes;
    return this;
  }

  public TestAgentBuilder putDeadline(Duration most) {
    putDeadline = most;
    return this;
  }

  public TestAgentBuilder hold(Duration time, int mostPercent) {
    hold = time;
    maxHeldPercent = mostPercent;
    return this;
  }

  /** How long a move waits at its end for those who hold its chunks here. */
  public TestAgentBuilder holders(Duration most) {
    holders = most;
    return this;
  }

  /** What may give way to the chunks of peers that are going. */
  public TestAgentBuilder maxDisplaced(int percent) {
    maxDisplacedPercent = percent;
    return this;
  }

  public TestAgentBuilder maxPuts(int most) {
    maxPuts = most;
    return this;
  }

  public TestAgentBuilder sockets(SocketSettings settings) {
    sockets = settings;
    return this;
  }

  /** Under which others reach it. */
  public TestAgentBuilder host(String advertised) {
    host = advertised;
    return this;
  }

  /** Its memory lies in a file, for others to map. */
  public TestAgentBuilder file(Path path) {
    file = Optional.of(path);
    return this;
  }

  public TestAgentBuilder channels(String... preferred) {
    channels = List.of(preferred);
    return this;
  }

  public TestAgentBuilder options(CacheOptions how) {
    options = how;
    return this;
  }

  public TestAgent start() throws IOException {
    return new TestAgent(this);
  }

  ChunkMemory memory(PageArena arena) {
    return ranges
        ? ChunkMemory.ranges(new RangeAllocator(arena), pageBytes, pages)
        : ChunkMemory.paged(new PageAllocator(arena, pageBytes, Math.min(pages, initialPages)), 1);
  }

  PeerServerSettings server() {
    return new PeerServerSettings(
        sockets,
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:0",
        host,
        maxLoanedPerPeer,
        4 * maxLoanedPerPeer,
        maxSealed,
        maxOverduePerPeer,
        loanDeadline,
        64,
        new PutLimits(
            maxPuts,
            putDeadline,
            new PullLimits(getBytes, 3, 1),
            hold,
            maxHeldPercent,
            maxDisplacedPercent));
  }

  MoveLimits moves() {
    return new MoveLimits(
        Duration.ofSeconds(40),
        putDeadline,
        new PullLimits(getBytes, 3, 1),
        holders,
        Long.MAX_VALUE);
  }

  PeerClientSettings client() {
    return new PeerClientSettings(
        sockets, connectTimeout, passOverMost, idleTimeout, 64, 256, maxInFlight, maxInFlight, 1);
  }
}

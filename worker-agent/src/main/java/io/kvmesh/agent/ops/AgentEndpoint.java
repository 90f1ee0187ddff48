package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.engine.HandOverState;
import io.kvmesh.agent.event.PublisherStats;
import io.kvmesh.agent.fleet.PrefetchReport;
import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.FeatureOutcome;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.transfer.ChannelTraffic;
import io.kvmesh.agent.transfer.MoveReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The actuator endpoint {@code agent}: who this agent is, where its doors are, what it holds. */
@Endpoint(id = "agent")
public final class AgentEndpoint {

  private final AgentParts parts;

  /** Of a running agent. */
  public AgentEndpoint(AgentParts parts) {
    this.parts = parts;
  }

  /**
   * One moment of the agent.
   *
   * @param epoch of this life, −1 while it isn't known
   * @param fenced whether a later life of this worker was seen
   * @param doors addresses by name, host:port
   * @param memory of the cache, null where nothing is kept
   * @param handOvers sessions to which memory was handed over
   * @param loans to peers that have not said done
   * @param channels over which chunks come from peers and go to them
   * @param heldForMoves chunks that moves have brought which aren't over
   * @param move that is under way from here, else the last one; null before the first
   * @param drain the same of what is handed over to those that stay
   * @param prefetches that are under way
   */
  public record State(
      String instance,
      int rank,
      long epoch,
      boolean fenced,
      Map<String, String> doors,
      @Nullable Memory memory,
      Cache cache,
      int sessions,
      int leases,
      List<HandOverState> handOvers,
      int loans,
      int overdueLoans,
      long loanedBytes,
      int peers,
      long pullBytesInFlight,
      Channels channels,
      int heldForMoves,
      @Nullable Move move,
      @Nullable Drain drain,
      List<Prefetch> prefetches,
      int controllers,
      boolean controllerReachable,
      @Nullable PublisherStats log) {}

  /**
   * A move from here.
   *
   * @param state under way, over, or stopped and why
   * @param chunks how many there are
   * @param done how many of them, by what became of them
   */
  public record Move(
      String id, String target, String state, int chunks, Map<String, Integer> done) {}

  /**
   * A prefetch to here.
   *
   * @param chunks how many there are
   * @param done how many of them, by what became of them
   */
  public record Prefetch(String id, int chunks, Map<String, Integer> done) {}

  /**
   * What is handed over to those that stay.
   *
   * @param targets that took some
   * @param state under way, over, or stopped and why
   * @param chunks how many there are
   * @param done how many of them, by what became of them
   */
  public record Drain(
      String id, List<String> targets, String state, int chunks, Map<String, Integer> done) {}

  /**
   * The arena.
   *
   * @param availableBytes at the start, −1 where that is unknown
   * @param availableFrom what says so, or why nothing does
   * @param capacityBytes the lesser of what is configured and what is available less the reserve
   * @param file that others on this host can map
   * @param features by name: off, had, or why it is not had
   */
  public record Memory(
      long configuredBytes,
      long reserveBytes,
      long availableBytes,
      String availableFrom,
      long capacityBytes,
      @Nullable String file,
      Map<String, String> features) {}

  /**
   * The cache.
   *
   * @param keeping what is done with chunks that were stored
   * @param room memory for bodies
   * @param waits batches that waited for room
   * @param pins chunks that somebody pinned
   * @param evictions chunks that gave way to others
   * @param removals chunks that left, whatever the cause
   */
  public record Cache(
      int pageBytes,
      int capacityPages,
      int freePages,
      Keeping keeping,
      CacheStats.Room room,
      CacheStats.Waits waits,
      CacheStats.Pins pins,
      int residentChunks,
      long residentBytes,
      int leasedChunks,
      int pendingChunks,
      int detachedChunks,
      long evictions,
      long removals,
      long sequence) {}

  /**
   * How chunks come and go.
   *
   * @param served to peers, best first
   * @param used to pull from peers, by name
   * @param lastFallback why a channel that was agreed on could not be opened, the last time
   */
  public record Channels(
      List<String> served,
      Map<String, ChannelTraffic.Figures> used,
      @Nullable String lastFallback) {}

  /** The agent now. */
  @ReadOperation
  public State state() {
    return new State(
        parts.self().id().instanceId(),
        parts.self().id().rank(),
        parts.self().epoch().getAsLong(),
        parts.self().fenced().getAsBoolean(),
        parts.doors().get(),
        parts.arena().map(AgentEndpoint::memory).orElse(null),
        cache(),
        parts.engine().sessions(),
        parts.engine().leases(),
        parts.engine().handOvers(),
        parts.peerServer().openLoans(),
        parts.peerServer().overdueLoans(),
        parts.peerServer().bytesOnLoan(),
        parts.peerClient().connections(),
        parts.peerClient().bytesInFlight(),
        channels(),
        parts.peerServer().heldForMoves(),
        move(),
        drain(),
        parts.prefetcher().underWay().stream().map(AgentEndpoint::prefetch).toList(),
        parts.directory().controllers(),
        parts.directory().reachable(),
        parts.log().get().orElse(null));
  }

  private Channels channels() {
    ChannelTraffic traffic = parts.peerClient().traffic();
    return new Channels(
        parts.self().channels().served(), traffic.figures(), traffic.lastFallback());
  }

  private @Nullable Move move() {
    return parts
        .mover()
        .underWay()
        .map(report -> move(report, "under way"))
        .or(() -> parts.mover().last().map(report -> move(report, ending(report.stopped()))))
        .orElse(null);
  }

  private @Nullable Drain drain() {
    return parts
        .drainer()
        .underWay()
        .map(report -> drain(report, "under way"))
        .or(() -> parts.drainer().last().map(report -> drain(report, ending(report.stopped()))))
        .orElse(null);
  }

  private static Drain drain(MoveReport report, String state) {
    return new Drain(
        report.id(), report.targets(), state, report.chunks(), byName(report.outcomes()));
  }

  private static String ending(@Nullable String stopped) {
    return stopped == null ? "over" : "stopped: " + stopped;
  }

  private static Move move(MoveReport report, String state) {
    return new Move(
        report.id(),
        report.targets().getFirst(),
        state,
        report.chunks(),
        byName(report.outcomes()));
  }

  private static Prefetch prefetch(PrefetchReport report) {
    return new Prefetch(report.id().name(), report.chunks(), byName(report.outcomes()));
  }

  private static Map<String, Integer> byName(Map<? extends Enum<?>, Integer> outcomes) {
    Map<String, Integer> named = new TreeMap<>();
    outcomes.forEach((outcome, count) -> named.put(outcome.name().toLowerCase(Locale.ROOT), count));
    return named;
  }

  private static Memory memory(ArenaView view) {
    ArenaCapacity capacity = view.capacity();
    PageArena arena = view.arena();
    Map<String, String> features = new TreeMap<>();
    arena.features().forEach(it -> features.put(MemoryMeters.name(it.feature()), text(it)));
    return new Memory(
        capacity.configuredBytes(),
        capacity.reserveBytes(),
        MemoryMeters.availableBytes(capacity),
        switch (capacity.available()) {
          case AvailableMemory.Known known -> known.source();
          case AvailableMemory.Unknown unknown -> unknown.reason();
        },
        arena.byteSize(),
        arena.file().map(Path::toString).orElse(null),
        features);
  }

  private static String text(FeatureOutcome outcome) {
    if (outcome.asked()) {
      return outcome.had() ? "had" : outcome.reason();
    }
    return "off";
  }

  private Cache cache() {
    CacheStats stats = parts.cache().stats();
    return new Cache(
        stats.pageBytes(),
        stats.capacityPages(),
        stats.freePages(),
        parts.cache().keeping(),
        stats.room(),
        stats.waits(),
        stats.pins(),
        stats.residentChunks(),
        stats.residentBytes(),
        stats.leasedChunks(),
        stats.pendingChunks(),
        stats.detachedChunks(),
        stats.removed().getOrDefault(RemovalCause.EVICTED, 0L),
        stats.removedInAll(),
        parts.cache().position().sequence());
  }
}

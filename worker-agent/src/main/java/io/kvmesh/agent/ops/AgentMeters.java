package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.control.ControlCount;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.event.PublisherStats;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.ZmqStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Everything that the agent counts, as meters named {@code kvmesh.agent.*}. What happens at a door
 * is one counter with a label for each constant of its enum: {@code _events} by default, {@code
 * _chunks} and {@code _bytes} for constants that begin so.
 */
public final class AgentMeters implements MeterBinder {

  private final AgentParts parts;

  /** Of a running agent. */
  public AgentMeters(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    new Group<>("kvmesh.agent.peer.server", ServerCount.class, parts.serverCounts()).bind(registry);
    new Group<>("kvmesh.agent.peer.pull", PullCount.class, parts.pullCounts()).bind(registry);
    new Group<>("kvmesh.agent.directory", DirectoryCount.class, parts.directoryCounts())
        .bind(registry);
    new Group<>("kvmesh.agent.control", ControlCount.class, parts.controlCounts()).bind(registry);
    new Group<>("kvmesh.agent.engine", EngineCount.class, parts.engineCounts()).bind(registry);
    bindRefused(registry);
    bindCache(registry);
    bindTransfer(registry);
    bindLog(registry);
    bindSockets(registry);
  }

  /** The counters of one enum. */
  private record Group<E extends Enum<E>>(String name, Class<E> kind, Counters<E> counters) {

    void bind(MeterRegistry registry) {
      for (E constant : kind.getEnumConstants()) {
        String text = constant.name().toLowerCase(Locale.ROOT);
        String unit = "events";
        if (text.startsWith("chunk")) {
          unit = "chunks";
        } else if (text.startsWith("byte")) {
          unit = "bytes";
        }
        FunctionCounter.builder(name + "." + unit, counters, it -> it.get(constant))
            .tag("kind", text)
            .register(registry);
      }
    }
  }

  private void bindRefused(MeterRegistry registry) {
    refused(registry, parts.peerClient().refusedFrames());
    refused(registry, parts.directory().refusedFrames());
    refused(registry, parts.control().refusedFrames());
    refused(registry, parts.engine().refusedFrames());
    parts.peerServer().refusedFrames().forEach(socket -> refused(registry, socket));
  }

  private static void refused(MeterRegistry registry, RefusedFrames frames) {
    FunctionCounter.builder("kvmesh.agent.refused.frames", frames, RefusedFrames::count)
        .tag("socket", frames.socket())
        .register(registry);
  }

  private void bindCache(MeterRegistry registry) {
    pages(registry, "free", CacheStats::freePages);
    pages(registry, "resident", CacheStats::residentChunks);
    pages(registry, "pending", CacheStats::pendingChunks);
    pages(registry, "detached", CacheStats::detachedChunks);
    gauge(registry, "kvmesh.agent.cache.capacity.pages", CacheStats::capacityPages);
    gauge(registry, "kvmesh.agent.cache.page.bytes", CacheStats::pageBytes);
    gauge(registry, "kvmesh.agent.cache.resident.bytes", CacheStats::residentBytes);
    gauge(registry, "kvmesh.agent.cache.leased.chunks", CacheStats::leasedChunks);
    counter(registry, "kvmesh.agent.cache.lookups", CacheStats::lookups);
    counter(registry, "kvmesh.agent.cache.lookup.keys", CacheStats::lookedUp);
    counter(registry, "kvmesh.agent.cache.hits", CacheStats::hits);
    counter(registry, "kvmesh.agent.cache.admitted", CacheStats::admitted);
    counter(registry, "kvmesh.agent.cache.resident.already", CacheStats::alreadyResident);
    counter(registry, "kvmesh.agent.cache.no.space", CacheStats::noSpace);
    counter(registry, "kvmesh.agent.cache.too.large", CacheStats::tooLarge);
    counter(registry, "kvmesh.agent.cache.aborted", CacheStats::aborted);
    for (RemovalCause cause : RemovalCause.values()) {
      FunctionCounter.builder(
              "kvmesh.agent.cache.removed",
              parts,
              it -> it.cache().stats().removed().getOrDefault(cause, 0L))
          .tag("cause", cause.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
  }

  private void pages(MeterRegistry registry, String state, ToDoubleFunction<CacheStats> figure) {
    Gauge.builder("kvmesh.agent.cache.pages", parts, it -> figure.applyAsDouble(it.cache().stats()))
        .tag("state", state)
        .register(registry);
  }

  private void gauge(MeterRegistry registry, String name, ToDoubleFunction<CacheStats> figure) {
    Gauge.builder(name, parts, it -> figure.applyAsDouble(it.cache().stats())).register(registry);
  }

  private void counter(MeterRegistry registry, String name, ToDoubleFunction<CacheStats> figure) {
    FunctionCounter.builder(name, parts, it -> figure.applyAsDouble(it.cache().stats()))
        .register(registry);
  }

  private void bindTransfer(MeterRegistry registry) {
    now(registry, "kvmesh.agent.loans", it -> it.peerServer().openLoans());
    now(registry, "kvmesh.agent.loans.overdue", it -> it.peerServer().overdueLoans());
    now(registry, "kvmesh.agent.loaned.bytes", it -> it.peerServer().bytesOnLoan());
    now(registry, "kvmesh.agent.peers", it -> it.peerClient().connections());
    now(registry, "kvmesh.agent.pull.inflight.bytes", it -> it.peerClient().bytesInFlight());
    now(registry, "kvmesh.agent.pull.inflight.chunks", it -> it.puller().chunksUnderWay());
    now(registry, "kvmesh.agent.sessions", it -> it.engine().sessions());
    now(registry, "kvmesh.agent.leases", it -> it.engine().leases());
    now(registry, "kvmesh.agent.leased.bytes", it -> it.engine().leasedBytes());
    now(registry, "kvmesh.agent.engine.requests", it -> it.engine().atWork());
    now(registry, "kvmesh.agent.controllers", it -> it.directory().controllers());
    now(registry, "kvmesh.agent.controllers.answering", it -> it.directory().notFailing());
    now(registry, "kvmesh.agent.controller.reachable", it -> it.directory().reachable() ? 1 : 0);
    now(registry, "kvmesh.agent.epoch", it -> it.self().epoch().getAsLong());
    now(registry, "kvmesh.agent.fenced", it -> it.self().fenced().getAsBoolean() ? 1 : 0);
  }

  private void now(MeterRegistry registry, String name, ToDoubleFunction<AgentParts> figure) {
    Gauge.builder(name, parts, figure).register(registry);
  }

  private void bindLog(MeterRegistry registry) {
    logGauge(registry, "kvmesh.agent.log.queued", PublisherStats::queued);
    logGauge(registry, "kvmesh.agent.log.queue.capacity", PublisherStats::capacity);
    logGauge(registry, "kvmesh.agent.log.sequence", PublisherStats::sequence);
    logCounter(registry, "kvmesh.agent.log.dropped", PublisherStats::dropped);
    logCounter(registry, "kvmesh.agent.log.overflows", PublisherStats::overflows);
    logCounter(registry, "kvmesh.agent.log.records", PublisherStats::sentRecords);
    logCounter(registry, "kvmesh.agent.log.events", PublisherStats::sentEvents);
    logCounter(registry, "kvmesh.agent.log.failed", PublisherStats::failedSends);
    logCounter(registry, "kvmesh.agent.log.heartbeats", PublisherStats::heartbeats);
    logCounter(registry, "kvmesh.agent.snapshots.started", PublisherStats::snapshotsStarted);
    logCounter(registry, "kvmesh.agent.snapshots.completed", PublisherStats::snapshotsCompleted);
    logCounter(registry, "kvmesh.agent.snapshots.voided", PublisherStats::snapshotsVoided);
    logCounter(registry, "kvmesh.agent.snapshots.wanted", PublisherStats::snapshotsWanted);
  }

  private void logGauge(
      MeterRegistry registry, String name, ToDoubleFunction<PublisherStats> figure) {
    Gauge.builder(name, parts, it -> ofLog(it, figure)).register(registry);
  }

  private void logCounter(
      MeterRegistry registry, String name, ToDoubleFunction<PublisherStats> figure) {
    FunctionCounter.builder(name, parts, it -> ofLog(it, figure)).register(registry);
  }

  private static double ofLog(AgentParts parts, ToDoubleFunction<PublisherStats> figure) {
    return parts.log().get().map(figure::applyAsDouble).orElse(0.0);
  }

  private void bindSockets(MeterRegistry registry) {
    now(registry, "kvmesh.agent.zmq.sockets", it -> it.sockets().stats().openSockets());
    now(
        registry,
        "kvmesh.agent.zmq.receive.bytes",
        it -> it.sockets().stats().receiveBufferBytes());
    socketCounter(registry, "kvmesh.agent.zmq.cutoffs", ZmqStats::handshakeCutOffs);
    socketCounter(registry, "kvmesh.agent.zmq.refused", ZmqStats::refusedMessages);
    socketCounter(registry, "kvmesh.agent.zmq.heap", ZmqStats::heapFallbacks);
    socketCounter(registry, "kvmesh.agent.zmq.faults", ZmqStats::ioFaults);
  }

  private void socketCounter(
      MeterRegistry registry, String name, ToDoubleFunction<ZmqStats> figure) {
    FunctionCounter.builder(name, parts, it -> figure.applyAsDouble(it.sockets().stats()))
        .register(registry);
  }
}

package io.kvmesh.controller.config;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.UrlHost;
import io.kvmesh.common.zmq.ZmqSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.command.CommandCounts;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.CommandSettings;
import io.kvmesh.controller.command.WorkerCommandClient;
import io.kvmesh.controller.command.ZmqWorkerCommandClient;
import io.kvmesh.controller.ingest.IngestSettings;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.lmcache.DirectoryFront;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.lmcache.FrontSettings;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.log.KafkaEventLogWriter;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.lookup.InstanceLookup;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.PromptHashing;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.ops.CommandMeters;
import io.kvmesh.controller.ops.ControllerMeters;
import io.kvmesh.controller.ops.DurableViewHealth;
import io.kvmesh.controller.ops.IndexHealth;
import io.kvmesh.controller.ops.KvIndexEndpoint;
import io.kvmesh.controller.ops.LogHealth;
import io.kvmesh.controller.ops.MeteredLookup;
import io.kvmesh.controller.ops.MismatchWatch;
import io.kvmesh.controller.ops.VisibleTimer;
import io.kvmesh.controller.ops.WorkersEndpoint;
import io.kvmesh.controller.registry.WorkerProbe;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.vllm.EngineEvents;
import io.kvmesh.program.certificate.CertificateConfiguration;
import io.kvmesh.program.kafka.ClientProperties;
import io.kvmesh.program.trace.SpanLosses;
import io.kvmesh.program.trace.TraceConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The one wiring class: every object of the program is made here and knows only its own
 * collaborators. What is made from another is closed before it, so sockets end first, then the
 * readers of the log, then its writer.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
  WebConfiguration.class,
  AccessConfiguration.class,
  CertificateConfiguration.class,
  VllmConfiguration.class,
  TraceConfiguration.class
})
public class ControllerConfiguration {

  /** Barriers that may wait at a time, over REST and ZeroMQ together. */
  private static final int MAX_BARRIERS = 10_000;

  private static final int IO_THREADS = 1;
  private static final long RECEIVE_BUFFER_BYTES = 64L << 20;
  private static final int HIGH_WATER_MARK = 1000;
  private static final int MAX_FRAMES = 4096;

  @Bean
  ServedView servedView(ControllerSettings settings, DurableView durable, WorkerRegistry registry) {
    return ServedView.of(settings.index(), durable, registry);
  }

  @Bean
  WorkerRegistry workerRegistry() {
    return new WorkerRegistry();
  }

  @Bean
  SpanLosses spanLosses() {
    return new SpanLosses("kvmesh.controller.trace.spans.lost");
  }

  @Bean
  Trail trail() {
    return new Trail(InstantSource.system());
  }

  @Bean
  EventLogWriter eventLogWriter(ControllerSettings settings, KafkaClients kafka) {
    return new KafkaEventLogWriter(settings.cluster(), kafka.properties());
  }

  @Bean
  DurableView durableView(ControllerSettings settings) {
    return DurableView.of(settings);
  }

  @Bean
  LogIngest logIngest(
      ControllerSettings settings,
      KafkaClients kafka,
      ServedView view,
      WorkerRegistry registry,
      EventLogWriter log,
      DurableView durable,
      VisibleTimer visible,
      Trail trail,
      WorkerProbe probe) {
    ControllerSettings.Liveness liveness = settings.liveness();
    var ingest =
        new IngestSettings(
            settings.cluster(),
            kafka.properties(),
            settings.kafka().partitions(),
            settings.kafka().replicationFactor(),
            liveness.heartbeatInterval(),
            liveness.silentAfter(),
            liveness.expireAfter(),
            settings.front().syncTimeout(),
            MAX_BARRIERS);
    LogIngest made =
        new LogIngest(ingest, view.local(), registry, log, durable.index(), visible, trail, probe);
    if (view.index() instanceof DurableServing serving) {
      serving.serves(made::servedLife);
    }
    return made;
  }

  @Bean
  TokenChunker tokenChunker(ControllerSettings settings) {
    ControllerSettings.Hash hash = settings.hash();
    return new TokenChunker(ChunkHashing.of(hash.algorithm(), hash.seed()), hash.chunkTokens());
  }

  @Bean
  KafkaClients kafkaClients(ControllerSettings settings, ClientProperties access) {
    return new KafkaClients(access.with(settings.kafka().bootstrapServers()));
  }

  /** What every client of Kafka gets. */
  record KafkaClients(Map<String, Object> properties) {}

  @Bean
  VisibleTimer visibleTimer(MeterRegistry meters) {
    return new VisibleTimer(meters);
  }

  @Bean
  IngestView ingestView(LogIngest ingest) {
    return new IngestView(ingest);
  }

  @Bean
  HolderLookup holderLookup(
      ServedView served, WorkerRegistry registry, IngestView view, MeterRegistry meters) {
    return new MeteredLookup(
        new ReadyLookup(view::ready, new PrefixLookup(served.index(), registry)), meters);
  }

  @Bean
  DrainLookup drainLookup(ServedView served, WorkerRegistry registry, IngestView view) {
    return new DrainLookup(view::ready, served.index(), registry);
  }

  @Bean
  InstanceLookup instanceLookup(
      ServedView view, WorkerRegistry registry, TokenChunker chunker, ControllerSettings settings) {
    ControllerSettings.Hash hash = settings.hash();
    return new InstanceLookup(
        view.index(), registry, new PromptHashing(hash.algorithm(), hash.seed(), chunker));
  }

  @Bean
  InfoContributor tokenHashing(ControllerSettings settings) {
    return info -> info.withDetail("hash", settings.hash());
  }

  @Bean
  ZmqSockets zmqSockets(ControllerSettings settings) {
    return new ZmqSockets(new ZmqSettings(IO_THREADS, RECEIVE_BUFFER_BYTES, sockets(settings)));
  }

  static SocketSettings sockets(ControllerSettings settings) {
    return SocketSettings.DEFAULT
        .withHandshakeInterval(settings.zmq().handshakeInterval())
        .withMessages(HIGH_WATER_MARK, settings.zmq().maxMessageSize().toBytes(), MAX_FRAMES)
        .withMaxConnections(settings.zmq().maxConnections())
        .withKeys(keys(settings.security().keyFile()));
  }

  private static Optional<CurveKeys> keys(String file) {
    try {
      return file.isEmpty() ? Optional.empty() : Optional.of(CurveKeys.read(Path.of(file)));
    } catch (IOException e) {
      throw new UncheckedIOException("kvmesh.security.key-file can't be read", e);
    }
  }

  @Bean
  FrontCounts frontCounts() {
    return new FrontCounts();
  }

  @Bean
  DirectoryFront directoryFront(
      ControllerSettings settings,
      ZmqSockets sockets,
      HolderLookup lookup,
      DrainLookup drains,
      IngestView view,
      WorkerRegistry registry,
      WorkerProbe probe,
      EventLogWriter log,
      Traces traces,
      FrontCounts counts) {
    var front =
        new FrontSettings(
            settings.zmq().pullBind(),
            settings.zmq().replyBind(),
            settings.zmq().heartbeatBind(),
            UrlHost.of(settings.advertisedHost()),
            sockets(settings),
            settings.front().holdFor(),
            settings.front().maxHeld(),
            settings.front().maxInFlight(),
            settings.web().maxWait(),
            settings.front().maxSyncs(),
            settings.front().claimWait());
    return new DirectoryFront(
        front, sockets, lookup, drains, view, view, registry, probe, log, traces, counts);
  }

  @Bean
  ZmqWorkerCommandClient workerCommandClient(ZmqSockets sockets, ControllerSettings settings) {
    return new ZmqWorkerCommandClient(sockets, sockets(settings));
  }

  @Bean
  WorkerProbe workerProbe(WorkerCommandClient commands, ControllerSettings settings) {
    return new HealthProbe(commands, settings.command().timeout());
  }

  @Bean
  CommandCounts commandCounts() {
    return new CommandCounts();
  }

  @Bean
  CommandService commandService(
      WorkerRegistry registry,
      ZmqWorkerCommandClient client,
      CommandCounts counts,
      Trail trail,
      ControllerSettings settings) {
    ControllerSettings.Command command = settings.command();
    return new CommandService(
        registry,
        client,
        new CommandSettings(
            command.timeout(),
            command.moveTimeout(),
            command.maxRunning(),
            command.maxKept(),
            command.keepFor()),
        counts,
        trail,
        InstantSource.system());
  }

  @Bean
  CommandMeters commandMeters(CommandService commands, CommandCounts counts) {
    return new CommandMeters(commands, counts);
  }

  @Bean
  ControllerStart controllerStart(
      ControllerSettings settings,
      LogIngest ingest,
      DirectoryFront front,
      ZmqWorkerCommandClient commands,
      EngineEvents engines,
      MismatchWatch mismatches) {
    return new ControllerStart(settings, ingest, front, commands, engines, mismatches);
  }

  @Bean
  MismatchWatch mismatchWatch(WorkerRegistry registry, MeterRegistry meters) {
    return new MismatchWatch(registry, meters);
  }

  @Bean
  ControllerMeters controllerMeters(
      ServedView view,
      WorkerRegistry registry,
      LogIngest ingest,
      EventLogWriter log,
      FrontCounts front,
      ZmqSockets sockets) {
    return new ControllerMeters(view.index(), registry, ingest, log, front, sockets);
  }

  @Bean("index")
  IndexHealth indexHealth(LogIngest ingest, ServedView view) {
    return new IndexHealth(ingest::status, view.local());
  }

  @Bean("kafka")
  LogHealth logHealth(LogIngest ingest) {
    return new LogHealth(ingest::status, ingest::misfits);
  }

  @Bean("redis")
  DurableViewHealth durableViewHealth(LogIngest ingest) {
    return new DurableViewHealth(ingest::status);
  }

  @Bean
  KvIndexEndpoint kvIndexEndpoint(ServedView view, LogIngest ingest) {
    return new KvIndexEndpoint(view.index(), view.local(), ingest);
  }

  @Bean
  WorkersEndpoint workersEndpoint(WorkerRegistry registry) {
    return new WorkersEndpoint(registry);
  }

  @Bean
  InfoContributor doors(DirectoryFront front) {
    return info ->
        info.withDetail(
            "doors",
            Map.of(
                "pull", front.pullPort(),
                "reply", front.replyPort(),
                "heartbeat", front.heartbeatPort()));
  }
}

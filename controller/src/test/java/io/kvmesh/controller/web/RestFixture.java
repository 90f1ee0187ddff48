package io.kvmesh.controller.web;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerRetMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PackOutcome;
import io.kvmesh.common.wire.control.PeerReach;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.control.ReachOutcome;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.common.wire.control.UndrainWorkerMsg;
import io.kvmesh.controller.command.CommandCounts;
import io.kvmesh.controller.command.CommandOutcome;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.CommandSettings;
import io.kvmesh.controller.command.WorkerCommandClient;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.InstanceLookup;
import io.kvmesh.controller.lookup.LocationWeights;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.PrefixScores;
import io.kvmesh.controller.lookup.PromptHashing;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.web.lmcache.LmcacheCommands;
import io.kvmesh.controller.web.lmcache.LmcacheGauges;
import io.kvmesh.controller.web.lmcache.LmcacheQueries;
import io.kvmesh.controller.web.lmcache.LmcacheService;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** The REST part alone, over a naive index, a barrier and workers that the test scripts. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RestFixture {

  /** One context serves several test classes, so they take turns. */
  static final String SHARED = "io.kvmesh.controller.web.RestFixture";

  static final int MAX_HASHES = 1000;
  static final int MAX_TOKENS = 2000;
  static final long MAX_BODY_BYTES = 256 << 10;
  static final WorkerId A0 = new WorkerId("A", 0);
  static final WorkerId B0 = new WorkerId("B", 0);

  /** What the test sets and the program reads. */
  static final class Script implements LogProgress {

    volatile boolean ready = true;
    final Map<WorkerId, Barrier.Answer> barriers = new ConcurrentHashMap<>();
    volatile WorkerCommandClient client = Script::done;

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public Map<Integer, Lag> lags() {
      return Map.of(0, new Lag(4, 20, 30L, 105L));
    }

    /** Every worker does what it is told. */
    static CompletableFuture<CommandOutcome> done(
        String ip, int port, ControlRequest request, Duration timeout) {
      ControlReply reply =
          switch (request) {
            case ClearWorkerMsg clear -> new ClearWorkerRetMsg(512, 5L, 9L, 2L);
            case PinWorkerMsg pin -> new PinWorkerRetMsg(pin.tokens().size(), 1L, 0L);
            case MoveWorkerMsg move -> new MoveWorkerRetMsg(256);
            case CompressWorkerMsg compress ->
                new CompressWorkerRetMsg(7, 3L, 3000L, 1000L, Map.of(PackOutcome.COMPRESSED, 3));
            case DecompressWorkerMsg decompress -> new DecompressWorkerRetMsg(8);
            case HealthWorkerMsg health -> new HealthWorkerRetMsg(0);
            case ReachWorkerMsg reach ->
                new ReachWorkerRetMsg(
                    reach.peers().stream()
                        .map(it -> new PeerReach(it, ReachOutcome.REFUSED, 3, "closed"))
                        .toList());
            case PrefetchWorkerMsg prefetch -> prefetched(PrefetchState.DONE, 2);
            case CheckPrefetchWorkerMsg check -> prefetched(PrefetchState.RUNNING, 1);
            case CancelPrefetchWorkerMsg cancel -> prefetched(PrefetchState.RUNNING, 1);
            case DrainWorkerMsg drain -> drained(2, null);
            case CheckDrainWorkerMsg check -> drained(1, null);
            case CancelDrainWorkerMsg cancel -> drained(1, null);
            case UndrainWorkerMsg undrain -> drained(1, "it was cancelled");
            case CheckFinishWorkerMsg check -> new CheckFinishWorkerRetMsg("done");
          };
      return answer(new CommandOutcome.Replied(reply));
    }

    /** Of two chunks. */
    static DrainWorkerRetMsg drained(int copied, @Nullable String stopped) {
      return new DrainWorkerRetMsg(
          256L * copied,
          5,
          9,
          2,
          4096L * copied,
          Map.of(MoveOutcome.COPIED, copied, MoveOutcome.NO_SPACE, 2 - copied),
          List.of("10.0.0.9:8200"),
          copied == 2 ? List.of() : List.of("m@1@0@1@half"),
          copied == 2 ? List.of() : List.of(MoveOutcome.NO_SPACE),
          stopped);
    }

    /** Of two chunks. */
    static PrefetchWorkerRetMsg prefetched(PrefetchState state, int brought) {
      return new PrefetchWorkerRetMsg(
          256L * brought,
          5,
          9,
          Map.of(PrefetchOutcome.BROUGHT, brought, PrefetchOutcome.UNTRIED, 2 - brought),
          state,
          "");
    }

    static CompletableFuture<CommandOutcome> answer(CommandOutcome outcome) {
      return CompletableFuture.completedFuture(outcome);
    }

    CompletableFuture<Barrier.Answer> await(
        WorkerId worker, long epoch, long sequence, Duration timeout) {
      return CompletableFuture.completedFuture(
          barriers.getOrDefault(worker, new Barrier.Answer(Barrier.Outcome.TIMED_OUT, -1, -1)));
    }
  }

  @Bean
  Script script() {
    return new Script();
  }

  @Bean("index")
  HealthIndicator readiness() {
    return () -> Health.up().build();
  }

  @Bean
  NaiveIndex chunks() {
    return new NaiveIndex()
        .admit(A0, CPU, keyspace(), 1, 2, 3)
        .admit(B0, CPU, keyspace(), 1, 1 + (1L << 32), 1 + (1L << 53), 1 ^ Long.MIN_VALUE);
  }

  @Bean
  WorkerRegistry registry() {
    WorkerRegistry registry = new WorkerRegistry();
    registry.put(live(A0, 5, agent("url-A")));
    registry.put(live(B0, 6, agent("url-B", "9")));
    registry.writeOff(new WorkerId("gone", 0), 3, System.currentTimeMillis());
    return registry;
  }

  @Bean
  WorkerCatalog catalog(WorkerRegistry registry, Script script) {
    return new WorkerCatalog(registry, script);
  }

  @Bean
  WorkersResource workers(WorkerCatalog catalog, Script script) {
    return new WorkersResource(catalog, script::await, Duration.ofSeconds(5));
  }

  @Bean
  InstancesResource instances(WorkerCatalog catalog) {
    return new InstancesResource(catalog);
  }

  @Bean
  Trail trail() {
    return new Trail(InstantSource.system());
  }

  @Bean
  EventsResource eventsResource(Trail trail) {
    return new EventsResource(trail);
  }

  @Bean
  CommandService commandService(WorkerRegistry registry, Trail trail, Script script) {
    return new CommandService(
        registry,
        (ip, port, request, timeout) -> script.client.send(ip, port, request, timeout),
        new CommandSettings(
            Duration.ofSeconds(20), Duration.ofSeconds(20), 256, 1000, Duration.ofHours(1)),
        new CommandCounts(),
        trail,
        InstantSource.system());
  }

  @Bean
  CommandDesk commandDesk(CommandService commands, WorkerCatalog catalog) {
    return new CommandDesk(commands, catalog, MAX_TOKENS, MAX_HASHES);
  }

  @Bean
  CommandResource commands(CommandDesk desk) {
    return new CommandResource(desk, Duration.ofSeconds(20));
  }

  @Bean
  LmcacheCommands lmcacheCommands(CommandDesk desk) {
    return new LmcacheCommands(desk);
  }

  @Bean
  LmcacheQueries lmcacheQueries(NaiveIndex index, WorkerRegistry registry, WorkerCatalog catalog) {
    TokenChunker chunker = new TokenChunker(ChunkHashing.of("sha256_cbor", "0"), 4);
    return new LmcacheQueries(
        new InstanceLookup(index, registry, new PromptHashing("sha256_cbor", "0", chunker)),
        catalog,
        MAX_TOKENS);
  }

  @Bean
  LmcacheService lmcacheService(LoggingSystem logging) {
    return new LmcacheService(
        () -> List.of(new LmcacheGauges.Gauge("kv_pool_keys_count", "Chunks", 6)),
        logging,
        "1.2.3",
        "abc");
  }

  @Bean
  LookupResource lookup(
      NaiveIndex index,
      WorkerRegistry registry,
      WorkerCatalog catalog,
      ChunkReader chunks,
      Script script) {
    return new LookupResource(
        new ReadyLookup(script::ready, new PrefixLookup(index, registry)), index, catalog, chunks);
  }

  @Bean
  ChunkReader chunkReader() {
    return new ChunkReader(
        new TokenChunker(ChunkHashing.of("builtin", ""), 4),
        Map.of(
            Keyspace.ofEngine("m", 4),
            new TokenChunker(ChunkHashing.of("sha256_cbor+raw+none", "0"), 4)),
        MAX_HASHES);
  }

  @Bean
  ScoreResource scores(
      NaiveIndex index, WorkerRegistry registry, WorkerCatalog catalog, ChunkReader chunks) {
    LocationWeights weights = LocationWeights.parse(CPU + "=1,*=0.5");
    return new ScoreResource(new PrefixScores(index, registry, weights), catalog, chunks);
  }

  @Bean
  LogResource log(WorkerCatalog catalog) {
    return new LogResource(new ScriptedLog(), catalog);
  }

  @Bean
  OpenApiTexts openApiTexts() {
    return new OpenApiTexts();
  }

  private static final class ScriptedLog implements LogState {

    @Override
    public List<Misfit> misfits() {
      return List.of(new Misfit("cleanup.policy", "compact", "delete", "events go"));
    }

    @Override
    public List<Partition> partitions() {
      return List.of(new Partition(0, 6, 10, 4, 20, 30L, 105L, true));
    }

    @Override
    public Map<String, Long> rejectedCounts() {
      return Map.of("UNDECODABLE", 2L);
    }

    @Override
    public List<Rejected> rejected() {
      return List.of(
          new Rejected(0, 4, 9, "A/0", "UNDECODABLE", "no msgpack", 3, "c1c1c1"),
          new Rejected(0, 3, 8, null, "UNDECODABLE", "no msgpack", 3, "c1c1c1"));
    }
  }

  @Bean
  KeysResource keys(NaiveIndex index, WorkerCatalog catalog) {
    return new KeysResource(index, catalog);
  }

  @Bean
  ApiErrors errors() {
    return new ApiErrors();
  }

  @Bean
  StrictJson strictJson() {
    return new StrictJson();
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> problemValve() {
    return ProblemValve.customizer();
  }

  @Bean
  FilterRegistrationBean<ContentTypeFilter> contentTypes(
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new FilterRegistrationBean<>(new ContentTypeFilter(errors));
  }

  @Bean
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  FilterRegistrationBean<BodyLimitFilter> bodyLimit(
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new FilterRegistrationBean<>(new BodyLimitFilter(MAX_BODY_BYTES, errors));
  }
}

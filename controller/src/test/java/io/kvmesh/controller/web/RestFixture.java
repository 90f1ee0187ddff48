package io.kvmesh.controller.web;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.controller.command.CommandOutcome;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.LocationWeights;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.PrefixScores;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** The REST part alone, over a naive index, a barrier and workers that the test scripts. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RestFixture {

  static final int MAX_HASHES = 1000;
  static final long MAX_BODY_BYTES = 256 << 10;
  static final WorkerId A0 = new WorkerId("A", 0);
  static final WorkerId B0 = new WorkerId("B", 0);

  /** What the test sets and the program reads. */
  static final class Script implements LogProgress {

    volatile boolean ready = true;
    final Map<WorkerId, Barrier.Answer> barriers = new ConcurrentHashMap<>();
    final Map<Integer, CommandOutcome> commands = new ConcurrentHashMap<>();

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public Map<Integer, Lag> lags() {
      return Map.of(0, new Lag(4, 20, 30L, 105L));
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
  CommandResource commands(WorkerRegistry registry, Script script) {
    return new CommandResource(
        new CommandService(
            registry,
            (ip, port, request, timeout) ->
                CompletableFuture.completedFuture(
                    script.commands.getOrDefault(
                        port, new CommandOutcome.Replied(new ClearWorkerRetMsg(512, 5L, 9L, 2L)))),
            Duration.ofSeconds(1)));
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
    return new ChunkReader(new TokenChunker(ChunkHashing.of("builtin", ""), 4), MAX_HASHES);
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
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  FilterRegistrationBean<BodyLimitFilter> bodyLimit(
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver errors) {
    return new FilterRegistrationBean<>(new BodyLimitFilter(MAX_BODY_BYTES, errors));
  }
}

package io.kvmesh.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.command.CommandCounts;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.CommandSettings;
import io.kvmesh.controller.config.ControllerSettings;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.ingest.IngestSettings;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.lmcache.FrontCounts;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.ops.AccessMeters;
import io.kvmesh.controller.ops.CommandMeters;
import io.kvmesh.controller.ops.ControllerMeters;
import io.kvmesh.controller.ops.EngineMeters;
import io.kvmesh.controller.ops.MeteredLookup;
import io.kvmesh.controller.ops.MismatchWatch;
import io.kvmesh.controller.ops.VisibleTimer;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.vllm.EngineCounts;
import io.kvmesh.controller.vllm.EngineEvents;
import io.kvmesh.controller.vllm.EventsSettings;
import io.kvmesh.controller.vllm.OwnedView;
import io.kvmesh.controller.web.access.AccessProblems;
import io.kvmesh.program.trace.SpanLosses;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the README says of the controller, compared with the code. */
class ReadmeTest {

  private static final String NOWHERE = "redis://127.0.0.1:1";

  @Test
  void settings_areThoseOfTheReadme() throws IOException {
    Readme.requireRows("controller-settings", Readme.settings());
  }

  /** Spring's metadata has nothing of what is in a list. */
  @Test
  void settingsOfAnEngine_areThoseOfTheReadme() throws IOException {
    List<String> documented =
        Readme.rows("engine-settings").stream()
            .map(row -> row.substring(0, row.indexOf(" | ", row.indexOf(" | ") + 3)))
            .toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            Arrays.stream(ControllerSettings.Engine.class.getConstructors()[0].getParameters())
                .map(ReadmeTest::nameAndDefault)
                .toList());
  }

  private static String nameAndDefault(Parameter setting) {
    String name = setting.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    String value = String.join(",", setting.getAnnotation(DefaultValue.class).value());
    return "| `" + name + "` | " + (value.isEmpty() ? "" : "`" + value + "`");
  }

  @Test
  void metrics_areThoseOfTheReadme() throws IOException {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MemoryIndex index = new MemoryIndex();
    WorkerRegistry workers = new WorkerRegistry();
    FakeLog log = new FakeLog();
    try (RedisIndex redis = RedisIndex.of("kvmesh", NOWHERE, Duration.ofSeconds(1));
        ZmqSockets sockets = new ZmqSockets()) {
      LogIngest ingest =
          new LogIngest(
              ingestSettings(),
              index,
              workers,
              log,
              redis,
              new VisibleTimer(meters),
              new Trail(InstantSource.system()),
              (worker, announcement) -> CompletableFuture.completedFuture(true));
      new MeteredLookup((requester, hashes) -> new LookupAnswer.NotReady(), meters);
      new MismatchWatch(workers, meters);
      new ControllerMeters(index, workers, ingest, log, new FrontCounts(), sockets).bindTo(meters);

      var engines = new EngineCounts();
      new EngineMeters(engineEvents(sockets, workers, log, engines), engines).bindTo(meters);

      new AccessMeters(new AccessProblems((request, response, handler, e) -> null)).bindTo(meters);

      CommandCounts counts = new CommandCounts();
      new CommandMeters(commands(workers, counts), counts).bindTo(meters);

      new SpanLosses("kvmesh.controller.trace.spans.lost").bindTo(meters);

      Readme.requireRows("controller-metrics", Readme.metrics(meters.scrape()));
    }
  }

  private static EngineEvents engineEvents(
      ZmqSockets sockets, WorkerRegistry workers, FakeLog log, EngineCounts counts) {
    Duration some = Duration.ofSeconds(1);
    var settings = new EventsSettings(List.of(), SocketSettings.DEFAULT, some, 1, some, some);
    return new EngineEvents(settings, sockets, new NoView(), workers, log, counts);
  }

  private static final class NoView implements OwnedView {

    @Override
    public boolean ready() {
      return false;
    }

    @Override
    public CompletableFuture<Boolean> caughtUp(Duration timeout) {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    public boolean owns(WorkerId worker) {
      return false;
    }
  }

  private static CommandService commands(WorkerRegistry workers, CommandCounts counts) {
    return new CommandService(
        workers,
        (ip, port, request, timeout) -> new CompletableFuture<>(),
        new CommandSettings(Duration.ZERO, Duration.ZERO, 1, 1, Duration.ZERO),
        counts,
        new Trail(InstantSource.system()),
        InstantSource.system());
  }

  private static IngestSettings ingestSettings() {
    return new IngestSettings(
        "kvmesh",
        Map.of(),
        1,
        1,
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofSeconds(60),
        Duration.ofSeconds(300),
        1);
  }

  @Test
  void restResources_areThoseOfTheReadme() throws IOException {
    List<String> documented =
        Readme.rows("rest").stream().map(row -> row.substring(2, row.indexOf(" | "))).toList();

    assertThat(documented)
        .as("table 'rest'")
        .containsExactlyInAnyOrderElementsOf(
            resources().flatMap(ReadmeTest::endpoints).map(text -> "`" + text + "`").toList());
  }

  private static Stream<Class<?>> resources() {
    var scanner = new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(RestController.class));
    return scanner.findCandidateComponents("io.kvmesh.controller.web").stream()
        .map(found -> ClassUtils.resolveClassName(String.valueOf(found.getBeanClassName()), null));
  }

  /** The page for errors, which answers to any method, is none. */
  private static Stream<String> endpoints(Class<?> resource) {
    RequestMapping common =
        AnnotatedElementUtils.findMergedAnnotation(resource, RequestMapping.class);
    Object base = common == null ? "" : only(common.path());
    return Arrays.stream(resource.getDeclaredMethods())
        .map(method -> AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class))
        .filter(mapping -> mapping != null && mapping.method().length > 0)
        .map(mapping -> only(mapping.method()) + " " + base + only(mapping.path()));
  }

  private static <T> Object only(T[] values) {
    return values.length == 0 ? "" : values[0];
  }
}

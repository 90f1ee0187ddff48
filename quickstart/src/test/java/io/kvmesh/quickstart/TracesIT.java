package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.client.EnginePrefetch;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.quickstart.SpanReceiver.Span;
import io.kvmesh.quickstart.fleet.AgentSpec;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Policy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an engine asks for, as a collector sees it that all programs send their spans to. */
class TracesIT {

  private static final int PAGE_BYTES = 4 << 10;
  private static final Duration SEEN = Duration.ofMinutes(1);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Traceparent RETRIEVE =
      new Traceparent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true);
  private static final Traceparent PREFETCH =
      new Traceparent("1af7651916cd43dd8448eb211c80319c", "c7ad6b7169203331", true);
  private static final Traceparent REST =
      new Traceparent("2af7651916cd43dd8448eb211c80319c", "d7ad6b7169203331", true);

  private final Http http = new Http();

  @TempDir Path folder;

  private static FleetSettings settings(SpanReceiver receiver) {
    List<AgentSpec> agents =
        Stream.of("owner", "asker")
            .map(name -> new AgentSpec(name, FleetSettings.MODEL, Policy.LRU, 100))
            .toList();
    return new FleetSettings(1, agents, PAGE_BYTES)
        .with(
            "--management.opentelemetry.enabled=true",
            "--management.opentelemetry.tracing.export.otlp.endpoint=" + receiver.endpoint(),
            "--management.opentelemetry.tracing.export.schedule-delay=100ms",
            "--logging.structured.format.console=ecs");
  }

  @Test
  void whatAnEngineAsksFor_isOneTraceThroughAllPrograms() throws Exception {
    WorkFolder work = WorkFolder.create(folder);
    try (SpanReceiver receiver = new SpanReceiver();
        Fleet fleet = Fleet.create(settings(receiver), Modules.ofThisBuild(), work, http);
        FleetProbe probe = new FleetProbe(fleet, http, PAGE_BYTES);
        ZmqSockets sockets = new ZmqSockets()) {
      fleet.start();
      List<ChunkKey> keys = probe.keys(0, 8);
      store(fleet, probe, keys);
      Member asker = fleet.agents().getLast();
      String door = "tcp://" + asker.address(Fleet.ENGINE);
      try (EngineClient engine =
          EngineClient.open(sockets, EngineClientSettings.of(door, "traces"))) {
        retrieve(engine, keys.subList(0, 4));
        checkRetrieve(receiver);
        prefetch(engine, keys);
      }
      checkPrefetch(receiver, work.log(asker.name()));
      askOverRest(fleet.controller().address(Fleet.REST));
      checkRest(receiver);
    }
  }

  private static void store(Fleet fleet, FleetProbe probe, List<ChunkKey> keys) throws Exception {
    Member owner = fleet.agents().getFirst();
    probe.store(owner, keys);
    await()
        .atMost(SEEN)
        .until(
            () ->
                probe.index(keys).orElseThrow().getOrDefault(owner.name(), Set.of()).size()
                    == keys.size());
  }

  private static void retrieve(EngineClient engine, List<ChunkKey> keys) throws Exception {
    try (RetrievedChunks found = engine.retrieve(keys, DEADLINE, RETRIEVE.toString())) {
      assertThat(found.local()).isZero();
      assertThat(found.size()).isEqualTo(keys.size());
    }
  }

  private static void prefetch(EngineClient engine, List<ChunkKey> keys) throws Exception {
    EnginePrefetch prefetch = engine.prefetch(keys, DEADLINE, PREFETCH.toString());
    await().atMost(SEEN).until(() -> prefetch.progress().brought() == 4);
  }

  private static Span span(SpanReceiver receiver, Traceparent trace, String name) {
    await()
        .atMost(SEEN)
        .until(
            () -> receiver.spans(trace.traceId()).stream().anyMatch(it -> it.name().equals(name)));
    return receiver.spans(trace.traceId()).stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void checkRetrieve(SpanReceiver receiver) {
    Span request = span(receiver, RETRIEVE, "engine retrieve");
    Span question = span(receiver, RETRIEVE, "directory lookup");
    Span answer = span(receiver, RETRIEVE, "controller lookup");
    Span pull = span(receiver, RETRIEVE, "peer pull");
    Span served = span(receiver, RETRIEVE, "peer get");

    assertThat(request.parentId()).isEqualTo(RETRIEVE.spanId());
    assertThat(question.parentId()).isEqualTo(request.spanId());
    assertThat(answer.parentId()).isEqualTo(question.spanId());
    assertThat(pull.parentId()).isEqualTo(request.spanId());
    assertThat(served.parentId()).isEqualTo(pull.spanId());
    assertThat(List.of(request, question, pull))
        .allSatisfy(it -> assertThat(it.instance()).isEqualTo("asker/0"));
    assertThat(served.instance()).isEqualTo("owner/0");
    assertThat(served.program()).isEqualTo("kvmesh-agent");
    assertThat(answer.program()).isEqualTo("kvmesh-controller");
  }

  private static void checkPrefetch(SpanReceiver receiver, Path log) throws Exception {
    Span prefetch = span(receiver, PREFETCH, "prefetch");
    assertThat(prefetch.parentId()).isEqualTo(PREFETCH.spanId());
    JsonNode event;
    try (Stream<String> lines = Files.lines(log)) {
      event =
          lines
              .map(line -> JsonMapper.shared().readTree(line))
              .filter(it -> it.path("message").asString().startsWith("Prefetch "))
              .findFirst()
              .orElseThrow();
    }
    assertThat(event.path("traceId").asString()).isEqualTo(PREFETCH.traceId());
    assertThat(event.path("spanId").asString()).isEqualTo(prefetch.spanId());
  }

  private static void askOverRest(String address) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1/workers"))
              .header("traceparent", REST.toString())
              .build();
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }
  }

  private static void checkRest(SpanReceiver receiver) {
    await().atMost(SEEN).until(() -> !receiver.spans(REST.traceId()).isEmpty());
    Span request =
        receiver.spans(REST.traceId()).stream()
            .filter(it -> it.parentId().equals(REST.spanId()))
            .findFirst()
            .orElseThrow();
    assertThat(request.program()).isEqualTo("kvmesh-controller");
    assertThat(request.name()).contains("/api/v1/workers");
  }
}

package io.kvmesh.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one controller told.
 *
 * @param writtenOff workers that it dropped for their silence and that have not come back
 * @param clockAhead by how much the controller's clock is surely ahead of the one here; negative =
 *     behind; zero = they may agree
 * @param asked what became of asking each instance how it is, by its name: the command, or an
 *     object with {@code error}
 */
record Survey(
    String url,
    JsonNode health,
    JsonNode info,
    JsonNode log,
    JsonNode rejected,
    List<JsonNode> workers,
    List<JsonNode> writtenOff,
    Duration clockAhead,
    Map<String, JsonNode> asked) {

  /** Instances that are asked at a time. */
  private static final int AT_A_TIME = 8;

  /** What HTTP's dates leave out. */
  private static final Duration DATE_STEP = Duration.ofSeconds(1);

  /** Copies the collections. */
  Survey {
    workers = List.copyOf(workers);
    writtenOff = List.copyOf(writtenOff);
    asked = Map.copyOf(asked);
  }

  /** Asks a controller, and each instance through it, waiting as long for those. */
  static Survey of(Api api, Duration wait) throws ApiException, InterruptedException {
    Instant before = Instant.now();
    Api.Answer health = api.look("/actuator/health");
    Instant after = Instant.now();
    JsonNode info = api.get("/actuator/info");
    JsonNode log = api.get("/api/v1/log");
    JsonNode rejected = api.get("/api/v1/log/rejected?limit=1");
    JsonNode known = api.get("/api/v1/workers");
    List<JsonNode> workers = known.path("workers").valueStream().toList();
    Duration ahead = health.date().map(it -> ahead(it, before, after)).orElse(Duration.ZERO);
    return new Survey(
        api.url(),
        health.body(),
        info,
        log,
        rejected,
        workers,
        known.path("writtenOff").valueStream().toList(),
        ahead,
        askAll(api, "health", instances(workers), wait));
  }

  private static Duration ahead(Instant date, Instant before, Instant after) {
    if (date.isAfter(after)) {
      return Duration.between(after, date);
    }
    Instant latest = date.plus(DATE_STEP);
    return latest.isBefore(before) ? Duration.between(before, latest) : Duration.ZERO;
  }

  private static Set<String> instances(List<JsonNode> workers) {
    Set<String> instances = new LinkedHashSet<>();
    workers.forEach(worker -> instances.add(worker.path("instanceId").asString()));
    return instances;
  }

  /** A command to each of these instances, some at a time: what became of it, or the error. */
  static Map<String, JsonNode> askAll(
      Api api, String command, Collection<String> instances, Duration wait)
      throws InterruptedException {
    Map<String, JsonNode> asked = new LinkedHashMap<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(AT_A_TIME)) {
      Map<String, Future<JsonNode>> answers = new LinkedHashMap<>();
      instances.forEach(it -> answers.put(it, executor.submit(() -> ask(api, command, it, wait))));
      for (Map.Entry<String, Future<JsonNode>> answer : answers.entrySet()) {
        asked.put(answer.getKey(), answer.getValue().get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return asked;
  }

  private static JsonNode ask(Api api, String command, String instance, Duration wait)
      throws InterruptedException {
    JsonNode request = JsonMapper.shared().createObjectNode().put("instanceId", instance);
    String path = "/api/v1/commands/%s?waitMillis=%d".formatted(command, wait.toMillis());
    try {
      return api.post(path, request, wait);
    } catch (ApiException e) {
      return JsonMapper.shared().createObjectNode().put("error", e.getMessage());
    }
  }

  /** A worker's name, instance/rank. */
  static String name(JsonNode worker) {
    return Table.text(worker.path("instanceId")) + "/" + Table.text(worker.path("rank"));
  }
}

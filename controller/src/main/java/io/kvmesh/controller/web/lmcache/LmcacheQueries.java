package io.kvmesh.controller.web.lmcache;

import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.lookup.InstanceLookup;
import io.kvmesh.controller.lookup.InstancePrefix;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.web.CommandDesk;
import io.kvmesh.controller.web.Problems;
import io.kvmesh.controller.web.TokenList;
import io.kvmesh.controller.web.WorkerCatalog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What LMCache's users ask its controller. */
@RestController
public final class LmcacheQueries {

  private static final String ALL = "all";
  private static final double MILLIS = 1000.0;

  private final InstanceLookup lookup;
  private final WorkerCatalog catalog;
  private final int maxTokens;

  public LmcacheQueries(InstanceLookup lookup, WorkerCatalog catalog, int maxTokens) {
    this.lookup = lookup;
    this.catalog = catalog;
    this.maxTokens = maxTokens;
  }

  /** The event id is passed over, as in LMCache. */
  @LmcacheBody
  record QueryInstanceRequest(@Nullable String ip) {}

  /** The instance, or null. */
  @LmcacheBody
  record QueryInstanceAnswer(String eventId, @Nullable String res) {}

  @LmcacheBody
  record LookupRequest(@Nullable List<@Nullable Long> tokens) {}

  /** For each instance the location and the end of its prefix in tokens; the best comes first. */
  @LmcacheBody
  record LookupAnswer(String eventId, Map<String, List<Object>> layoutInfo) {}

  /** Without ranks all of the instance are meant. */
  @LmcacheBody
  record QueryWorkerInfoRequest(
      @Nullable String instanceId, @Nullable List<@Nullable Integer> workerIds) {}

  @LmcacheBody
  record QueryWorkerInfoAnswer(String eventId, List<WorkerInfo> workerInfos) {}

  /** Times in seconds since 1970. */
  @LmcacheBody
  record WorkerInfo(
      String instanceId,
      int workerId,
      @Nullable String ip,
      @Nullable Integer port,
      @Nullable String peerInitUrl,
      double registrationTime,
      double lastHeartbeatTime,
      long keyCount) {

    static WorkerInfo of(WorkerView worker) {
      Announcement told = worker.announcement();
      long heard =
          worker.lastHeartbeatMillis() < 0
              ? worker.registeredMillis()
              : worker.lastHeartbeatMillis();
      return new WorkerInfo(
          worker.id().instanceId(),
          worker.id().rank(),
          told == null ? null : told.ip(),
          told == null ? null : told.port(),
          told == null ? null : told.peerInitUrl(),
          worker.registeredMillis() / MILLIS,
          heard / MILLIS,
          worker.residentCount());
    }
  }

  @LmcacheBody
  record Workers(List<WorkerInfo> workers, int totalCount) {}

  @LmcacheBody
  record KeyStats(
      long totalKeyCount,
      int totalInstanceCount,
      int totalWorkerCount,
      List<InstanceStats> instances) {}

  @LmcacheBody
  record InstanceStats(String instanceId, long keyCount, int workerCount) {}

  @PostMapping("/query_instance")
  QueryInstanceAnswer queryInstance(@RequestBody QueryInstanceRequest it) {
    String ip = CommandDesk.required("ip", it.ip);
    return new QueryInstanceAnswer(
        event("QueryInst"),
        catalog.views().stream()
            .filter(worker -> isAt(worker, ip))
            .map(worker -> worker.id().instanceId())
            .findFirst()
            .orElse(null));
  }

  private static boolean isAt(WorkerView worker, String ip) {
    Announcement told = worker.announcement();
    return told != null && told.ip().equals(ip);
  }

  @PostMapping("/lookup")
  LookupAnswer lookup(@RequestBody LookupRequest it) {
    long[] tokens = TokenList.requiredPrompt(it.tokens, maxTokens);
    if (!catalog.ready()) {
      throw Problems.notReady();
    }
    Map<String, List<Object>> layout = new LinkedHashMap<>();
    for (InstancePrefix found : lookup.find(lookup.hashing().hashBits(tokens))) {
      long end = lookup.hashing().tokens(found.chunks(), tokens.length);
      layout.put(found.instanceId(), List.of(found.location(), end));
    }
    return new LookupAnswer(event("Lookup"), layout);
  }

  @PostMapping("/query_worker_info")
  QueryWorkerInfoAnswer queryWorkerInfo(@RequestBody QueryWorkerInfoRequest it) {
    String instance = CommandDesk.required("instance_id", it.instanceId);
    List<WorkerView> workers = instance.equals(ALL) ? catalog.views() : workersOf(instance);
    if (workers.isEmpty() && !instance.equals(ALL)) {
      throw Problems.notFound("instance_id", instance);
    }
    List<Integer> ranks = ranks(it.workerIds);
    for (Integer rank : ranks) {
      if (workers.stream().noneMatch(worker -> worker.id().rank() == rank)) {
        throw Problems.notFound("worker_ids", rank);
      }
    }
    return new QueryWorkerInfoAnswer(
        event("QueryWorkerInfo"),
        workers.stream()
            .filter(worker -> ranks.isEmpty() || ranks.contains(worker.id().rank()))
            .map(WorkerInfo::of)
            .toList());
  }

  private static List<Integer> ranks(@Nullable List<@Nullable Integer> ranks) {
    if (ranks == null) {
      return List.of();
    }
    for (int i = 0; i < ranks.size(); i++) {
      Integer rank = ranks.get(i);
      if (rank == null || rank < 0) {
        throw Problems.badRequest("worker_ids[" + i + "]", rank, "must be at least 0");
      }
    }
    return ranks.stream().map(Objects::requireNonNull).distinct().toList();
  }

  private List<WorkerView> workersOf(String instanceId) {
    return catalog.views().stream()
        .filter(worker -> worker.id().instanceId().equals(instanceId))
        .toList();
  }

  /** One worker if both are given, else a list; a rank alone is passed over, as in LMCache. */
  @GetMapping("/controller/workers")
  Object workers(
      @RequestParam(name = "instance_id", required = false) @Nullable String instanceId,
      @RequestParam(name = "worker_id", required = false) @Nullable Integer workerId) {
    if (workerId != null && workerId < 0) {
      throw Problems.badRequest("worker_id", workerId, "must be at least 0");
    }
    if (instanceId == null) {
      return list(catalog.views());
    }
    List<WorkerView> workers = workersOf(instanceId);
    if (workerId != null) {
      return workers.stream()
          .filter(worker -> worker.id().rank() == workerId)
          .map(WorkerInfo::of)
          .findFirst()
          .orElseThrow(() -> unknown("Worker (" + instanceId + ", " + workerId + ") not found"));
    }
    if (workers.isEmpty()) {
      throw unknown("No workers found for instance " + instanceId);
    }
    return list(workers);
  }

  private static RuntimeException unknown(String reason) {
    return Problems.of(HttpStatus.NOT_FOUND, reason, Map.of());
  }

  private static Workers list(List<WorkerView> workers) {
    return new Workers(workers.stream().map(WorkerInfo::of).toList(), workers.size());
  }

  @GetMapping("/controller/key-stats")
  KeyStats keyStats() {
    List<WorkerView> workers = catalog.views();
    Map<String, List<WorkerView>> byInstance =
        workers.stream()
            .collect(
                Collectors.groupingBy(
                    worker -> worker.id().instanceId(), LinkedHashMap::new, Collectors.toList()));
    List<InstanceStats> instances =
        byInstance.entrySet().stream()
            .map(
                entry ->
                    new InstanceStats(
                        entry.getKey(), keys(entry.getValue()), entry.getValue().size()))
            .toList();
    return new KeyStats(keys(workers), instances.size(), workers.size(), instances);
  }

  private static long keys(List<WorkerView> workers) {
    return workers.stream().mapToLong(WorkerView::residentCount).sum();
  }

  private static String event(String prefix) {
    return prefix + UUID.randomUUID();
  }
}

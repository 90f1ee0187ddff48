package io.kvmesh.controller.web;

import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The log: how far the view has read it, and what it could not read. */
@RestController
@RequestMapping("/api/v1/log")
public final class LogResource {

  private static final int MAX_LIMIT = 1000;

  private final LogState log;
  private final WorkerCatalog catalog;

  public LogResource(LogState log, WorkerCatalog catalog) {
    this.log = log;
    this.catalog = catalog;
  }

  /**
   * The log, by partition.
   *
   * @param ready whether it has been read to its end
   * @param misfits in what the topic differs from what the log needs
   */
  record LogJson(
      boolean ready, List<LogState.Misfit> misfits, List<LogState.Partition> partitions) {}

  /**
   * Records that were passed over.
   *
   * @param counts of each kind, since the start of the program
   * @param records the latest, the last one first
   */
  record RejectedJson(Map<String, Long> counts, List<LogState.Rejected> records) {}

  @GetMapping
  LogJson state() {
    return new LogJson(catalog.ready(), log.misfits(), log.partitions());
  }

  @GetMapping("/rejected")
  RejectedJson rejected(@RequestParam(defaultValue = "100") int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Problems.badRequest("limit", limit, "must be between 1 and " + MAX_LIMIT);
    }
    return new RejectedJson(log.rejectedCounts(), log.rejected().stream().limit(limit).toList());
  }
}

package io.kvmesh.quickstart.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.quickstart.IoFault;
import io.kvmesh.quickstart.QuickstartException;
import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.replay.Latency;
import io.kvmesh.quickstart.replay.Outcome;
import io.kvmesh.quickstart.simulate.HitTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The outcome for programs: one JSON file that is replaced as a whole each time more is known, so
 * that a reader never sees half of one. Does nothing where no file is asked for. Thread-safe.
 */
public final class ResultJson {

  private static final String STATE = "state";
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final @Nullable Path file;

  @GuardedBy("this")
  private final Map<String, Object> content = new LinkedHashMap<>();

  private ResultJson(@Nullable Path file) {
    this.file = file;
  }

  /**
   * Writes the settings with state {@code starting}: a place that can't be written is known now.
   */
  public static ResultJson create(Options options, String workload) throws QuickstartException {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("workload", workload);
    if (options.simulatedSizes().isEmpty()) {
      replaySettings(options, settings);
    } else {
      settings.put("sizes", options.simulatedSizes());
    }
    ResultJson json = new ResultJson(options.json());
    json.write("starting", settings);
    return json;
  }

  private static void replaySettings(Options options, Map<String, Object> settings) {
    settings.put("workers", options.workers());
    settings.put("chunks_per_worker", options.chunks());
    settings.put("policy", options.policy().settingName());
    settings.put("page_bytes", options.pageBytes());
  }

  /**
   * Adds the addresses.
   *
   * @param addresses by name; values are texts, numbers, lists and maps
   */
  public void ready(Map<String, ?> addresses) throws QuickstartException {
    write("ready", addresses);
  }

  /** Replaces addresses and process ids; the state stays. */
  public synchronized void addresses(Map<String, ?> addresses) throws QuickstartException {
    write(String.valueOf(content.get(STATE)), addresses);
  }

  /** Adds what the replay came to. */
  public void finished(Outcome outcome) throws QuickstartException {
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("requests", outcome.requests());
    counts.put("chunks", outcome.chunks());
    counts.put("local_hits", outcome.local());
    counts.put("peer_hits", outcome.peer());
    counts.put("misses", outcome.miss());
    counts.put("not_stored", outcome.notStored());
    counts.put("evictions", outcome.evictions());
    counts.put("resident", outcome.resident());
    counts.put("bytes_pulled", outcome.bytesPulled());
    counts.put("bodies_checked", outcome.bodiesChecked());
    counts.put("lookup_millis", latency(outcome.lookup()));
    counts.put("pull_millis", latency(outcome.pull()));
    counts.put("event_lag_millis", latency(outcome.eventLag()));
    counts.put("wall_seconds", outcome.wallNanos() / 1e9);
    write("finished", counts);
  }

  /** Adds what the simulation came to: for each policy its hits at each size. */
  public void simulated(HitTable table) throws QuickstartException {
    Map<String, Object> hits = new LinkedHashMap<>();
    table.rows().forEach(row -> hits.put(row.policy(), row.hits()));
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("requests", table.requests());
    counts.put("chunks", table.chunks());
    counts.put("distinct_chunks", table.distinct());
    counts.put("hits", hits);
    write("finished", counts);
  }

  /** Says that the run failed, and why. */
  public void failed(String message) throws QuickstartException {
    write("failed", Map.of("error", message));
  }

  private static Map<String, Object> latency(Latency latency) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("p50", latency.p50Nanos() / 1e6);
    values.put("p99", latency.p99Nanos() / 1e6);
    values.put("samples", latency.count());
    return values;
  }

  private synchronized void write(String state, Map<String, ?> added) throws QuickstartException {
    content.put(STATE, state);
    content.putAll(added);
    if (file == null) {
      return;
    }
    Path absolute = file.toAbsolutePath();
    Path unfinished = absolute.resolveSibling("." + absolute.getFileName() + ".tmp");
    try {
      Files.writeString(unfinished, MAPPER.writeValueAsString(content) + "\n");
      Files.move(unfinished, absolute, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | JacksonException e) {
      throw new QuickstartException("can't write " + file + " (--json): " + IoFault.reason(e), e);
    }
  }
}

package io.kvmesh.controller.web.lmcache;

import io.kvmesh.controller.web.CommandDesk;
import io.kvmesh.controller.web.Problems;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What LMCache's programs tell of themselves. */
@RestController
public final class LmcacheService {

  /** The version of LMCache whose messages and resources these are. */
  static final String LMCACHE_VERSION = "0.4.5.dev0";

  private static final String PREFIX = "lmcache:cache_controller_";
  private static final String PROMETHEUS = "text/plain;version=0.0.4;charset=utf-8";
  private static final Map<String, String> PYTHON_LEVELS =
      Map.of("WARNING", "WARN", "CRITICAL", "ERROR");
  private static final Set<String> LEVELS =
      Set.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

  private final LmcacheGauges gauges;
  private final LoggingSystem logging;
  private final String version;
  private final String commit;

  /**
   * @param commit that this program was built from
   */
  public LmcacheService(
      LmcacheGauges gauges, LoggingSystem logging, String version, String commit) {
    this.gauges = gauges;
    this.logging = logging;
    this.version = version;
    this.commit = commit;
  }

  /** LMCache's gauges, as Prometheus reads them. Our own are at the actuator. */
  @GetMapping(path = "/metrics", produces = PROMETHEUS)
  String metrics() {
    return gauges.read().stream().map(LmcacheService::text).collect(Collectors.joining());
  }

  private static String text(LmcacheGauges.Gauge gauge) {
    String name = PREFIX + gauge.name();
    return "# HELP %1$s %2$s\n# TYPE %1$s gauge\n%1$s{role=\"controller\"} %3$s\n"
        .formatted(name, gauge.help(), gauge.value());
  }

  @GetMapping(path = "/version", produces = MediaType.APPLICATION_JSON_VALUE)
  String version() {
    return quoted(version);
  }

  @GetMapping(path = "/lmc_version", produces = MediaType.APPLICATION_JSON_VALUE)
  String lmcVersion() {
    return quoted(LMCACHE_VERSION);
  }

  @GetMapping(path = "/commit_id", produces = MediaType.APPLICATION_JSON_VALUE)
  String commitId() {
    return quoted(commit);
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  /** Without a name all loggers that have a level; with a level it is set first. */
  @GetMapping(path = "/loglevel", produces = MediaType.TEXT_PLAIN_VALUE)
  String logLevel(
      @RequestParam(name = "logger_name", required = false) @Nullable String name,
      @RequestParam(required = false) @Nullable String level) {
    if (name == null) {
      if (level != null) {
        throw Problems.badRequest("logger_name", null, "must be given with a level");
      }
      return logging.getLoggerConfigurations().stream()
          .filter(logger -> logger.getLevelConfiguration() != null)
          .map(LmcacheService::line)
          .collect(Collectors.joining());
    }
    LoggerConfiguration known = known(name);
    if (level != null) {
      logging.setLogLevel(known.getName(), parse(level));
      known = known(name);
    }
    return line(known);
  }

  private LoggerConfiguration known(String name) {
    CommandDesk.required("logger_name", name);
    String known = name.equalsIgnoreCase("root") ? LoggingSystem.ROOT_LOGGER_NAME : name;
    LoggerConfiguration logger = logging.getLoggerConfiguration(known);
    if (logger == null) {
      throw Problems.notFound("logger_name", name);
    }
    return logger;
  }

  private static LogLevel parse(String level) {
    String upper = level.toUpperCase(Locale.ROOT);
    String known = PYTHON_LEVELS.getOrDefault(upper, upper);
    if (!LEVELS.contains(known)) {
      throw Problems.badRequest(
          "level", level, "must be one of " + List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR"));
    }
    return LogLevel.valueOf(known);
  }

  private static String line(LoggerConfiguration logger) {
    return logger.getName() + ": " + logger.getLevelConfiguration().getName() + "\n";
  }
}

package io.kvmesh.quickstart.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code --name value}, {@code --name=value} and {@code --flag}. Whatever it doesn't
 * understand is an error that names the option; nothing is guessed.
 */
public final class CommandLine {

  private static final int MAX_CONTROLLERS = 8;
  private static final int MAX_WORKERS = 64;
  private static final int MAX_CHUNKS = 10_000_000;
  private static final int MAX_REQUESTS = 10_000_000;
  private static final int MIN_PAGE_BYTES = 64;
  private static final int MAX_PAGE_BYTES = 16 << 20;

  private static final String TRACE = "--trace";
  private static final String CONTROLLERS = "--controllers";
  private static final String WORKERS = "--workers";
  private static final String CHUNKS = "--chunks";
  private static final String POLICY = "--policy";
  private static final String REQUESTS = "--requests";
  private static final String PAGE_BYTES = "--page-bytes";
  private static final String JSON = "--json";
  private static final String WORK_DIR = "--work-dir";
  private static final String KEY_FILE = "--key-file";
  public static final String REST_PORT = "--rest-port";
  public static final String PULL_PORT = "--controller-pull-port";
  public static final String REPLY_PORT = "--controller-reply-port";
  public static final String KAFKA_PORT = "--kafka-port";
  public static final String REDIS_PORT = "--redis-port";
  private static final String SIMULATE = "--simulate";
  private static final String SIZES = "--sizes";
  private static final String STAY = "--stay";
  private static final String KEEP = "--keep";
  private static final String HELP = "--help";

  private static final String DEFAULT_SIZES = "1000,5000,20000,50000";
  private static final Set<String> OF_SIMULATION = Set.of(SIMULATE, SIZES, TRACE, REQUESTS, JSON);

  private static final Map<String, String> WITH_VALUE = new LinkedHashMap<>();
  private static final Map<String, String> FLAGS = new LinkedHashMap<>();

  static {
    WITH_VALUE.put(
        TRACE + " FILE",
        "replay this Mooncake trace (JSON lines) instead of the built-in workload");
    WITH_VALUE.put(CONTROLLERS + " N", "number of controllers (1)");
    WITH_VALUE.put(WORKERS + " N", "number of agents (4)");
    WITH_VALUE.put(CHUNKS + " C", "room of each agent's cache, in chunks (1000)");
    WITH_VALUE.put(POLICY + " P", "eviction policy: " + policyNames() + " (lru)");
    WITH_VALUE.put(REQUESTS + " N", "replay only the first N requests");
    WITH_VALUE.put(PAGE_BYTES + " B", "size of a chunk in bytes (65536)");
    WITH_VALUE.put(
        JSON + " FILE", "write the outcome there, and the addresses as soon as all is ready");
    WITH_VALUE.put(WORK_DIR + " DIR", "where logs and data go (below the build's output)");
    WITH_VALUE.put(KEY_FILE + " FILE", "the fleet's key: agents and controller use encryption");
    WITH_VALUE.put(
        REST_PORT + " P", "port of the first controller's REST interface (any free one)");
    WITH_VALUE.put(PULL_PORT + " P", "port of the first controller's PULL socket (any free one)");
    WITH_VALUE.put(REPLY_PORT + " P", "port of the first controller's reply socket (any free one)");
    WITH_VALUE.put(KAFKA_PORT + " P", "port of Kafka (any free one)");
    WITH_VALUE.put(REDIS_PORT + " P", "port of Redis (any free one)");
    WITH_VALUE.put(
        SIZES + " LIST",
        "sizes to simulate, in chunks, separated by commas (" + DEFAULT_SIZES + ")");
    FLAGS.put(
        SIMULATE, "start nothing; print what each policy would hit in one cache, and the optimum");
    FLAGS.put(STAY, "keep the system up after the replay, and restart what dies, until Ctrl-C");
    FLAGS.put(KEEP, "keep the folder with logs and data");
    FLAGS.put(HELP, "print this and start nothing");
  }

  private final Map<String, String> values = new HashMap<>();

  private CommandLine(List<String> args) throws UsageException {
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      int equals = arg.indexOf('=');
      String name = equals < 0 ? arg : arg.substring(0, equals);
      String inline = equals < 0 ? null : arg.substring(equals + 1);
      if (FLAGS.containsKey(name)) {
        putFlag(name, inline);
      } else if (takesValue(name)) {
        boolean isLast = i + 1 == args.size();
        putValue(name, inline != null ? inline : isLast ? null : args.get(++i));
      } else {
        throw new UsageException("unknown option " + quoted(name) + " (--help lists them)");
      }
    }
  }

  /**
   * The options, or nothing if the user asked for {@link #help()}.
   *
   * @throws UsageException with one line that names the option at fault
   */
  public static Optional<Options> parse(List<String> args) throws UsageException {
    if (args.contains(HELP) || args.contains("-h")) {
      return Optional.empty();
    }
    return Optional.of(new CommandLine(args).options());
  }

  /** The text for {@code --help}, ending with a line break. */
  public static String help() {
    List<String> lines = new ArrayList<>();
    lines.add("Starts Kafka, Redis, a controller and worker agents, each a process of its own on");
    lines.add("this machine, replays a workload through them and prints what came of it.");
    lines.add("");
    WITH_VALUE.forEach((option, text) -> lines.add(helpLine(option, text)));
    FLAGS.forEach((option, text) -> lines.add(helpLine(option, text)));
    lines.add("");
    lines.add("With Maven: mvn -q -pl quickstart -am spring-boot:run \\");
    lines.add("  -Dspring-boot.run.arguments=\"--trace FILE --workers 4 --chunks 1000\"");
    return String.join("\n", lines) + "\n";
  }

  private static String helpLine(String option, String text) {
    return String.format("  %-27s %s", option, text);
  }

  private static boolean takesValue(String name) {
    return WITH_VALUE.keySet().stream().anyMatch(option -> option.startsWith(name + " "));
  }

  private void putFlag(String name, @Nullable String inline) throws UsageException {
    if (inline != null) {
      throw new UsageException("option " + name + " takes no value");
    }
    put(name, "");
  }

  private void putValue(String name, @Nullable String value) throws UsageException {
    if (value == null || value.isBlank() || value.startsWith("--")) {
      throw new UsageException("option " + name + " needs a value");
    }
    put(name, value);
  }

  private void put(String name, String value) throws UsageException {
    if (values.putIfAbsent(name, value) != null) {
      throw new UsageException("option " + name + " is given twice");
    }
  }

  private Options options() throws UsageException {
    Options defaults = Options.defaults();
    return new Options(
        path(TRACE),
        number(CONTROLLERS, 1, MAX_CONTROLLERS, defaults.controllers()),
        number(WORKERS, 1, MAX_WORKERS, defaults.workers()),
        number(CHUNKS, 1, MAX_CHUNKS, defaults.chunks()),
        policy(defaults.policy()),
        values.containsKey(REQUESTS) ? number(REQUESTS, 0, MAX_REQUESTS, 0) : null,
        number(PAGE_BYTES, MIN_PAGE_BYTES, MAX_PAGE_BYTES, defaults.pageBytes()),
        path(JSON),
        path(WORK_DIR),
        path(KEY_FILE),
        new Ports(
            port(REST_PORT), port(PULL_PORT), port(REPLY_PORT), port(KAFKA_PORT), port(REDIS_PORT)),
        values.containsKey(STAY),
        values.containsKey(KEEP),
        simulatedSizes());
  }

  private List<Integer> simulatedSizes() throws UsageException {
    if (!values.containsKey(SIMULATE)) {
      if (values.containsKey(SIZES)) {
        throw new UsageException("option " + SIZES + " is for " + SIMULATE + " only");
      }
      return List.of();
    }
    for (String name : new TreeSet<>(values.keySet())) {
      if (!OF_SIMULATION.contains(name)) {
        throw new UsageException("option " + name + " has no meaning with " + SIMULATE);
      }
    }
    List<Integer> sizes = new ArrayList<>();
    for (String size : values.getOrDefault(SIZES, DEFAULT_SIZES).split(",", -1)) {
      sizes.add(number(SIZES, size, 1, MAX_CHUNKS));
    }
    return sizes;
  }

  private int port(String name) throws UsageException {
    return number(name, 0, 65_535, 0);
  }

  private int number(String name, int min, int max, int defaultValue) throws UsageException {
    String value = values.get(name);
    return value == null ? defaultValue : number(name, value, min, max);
  }

  private static int number(String name, String value, int min, int max) throws UsageException {
    try {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return Math.toIntExact(number);
      }
    } catch (NumberFormatException e) {
      // the message below says what is expected
    }
    throw new UsageException(
        "option "
            + name
            + " must be a number from "
            + min
            + " to "
            + max
            + ", not "
            + quoted(value));
  }

  private Policy policy(Policy defaultValue) throws UsageException {
    String value = values.get(POLICY);
    if (value == null) {
      return defaultValue;
    }
    return Arrays.stream(Policy.values())
        .filter(policy -> policy.settingName().equals(value))
        .findAny()
        .orElseThrow(
            () ->
                new UsageException(
                    "option "
                        + POLICY
                        + " must be one of "
                        + policyNames()
                        + ", not "
                        + quoted(value)));
  }

  private @Nullable Path path(String name) throws UsageException {
    String value = values.get(name);
    try {
      return value == null ? null : Path.of(value);
    } catch (InvalidPathException e) {
      throw new UsageException("option " + name + " is not a path: " + quoted(value));
    }
  }

  private static String policyNames() {
    return Arrays.stream(Policy.values())
        .map(Policy::settingName)
        .collect(Collectors.joining(", "));
  }

  private static String quoted(@Nullable String text) {
    return "'" + (text == null ? "" : text.replaceAll("\\p{Cntrl}", "?")) + "'";
  }
}

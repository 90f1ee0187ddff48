package io.kvmesh.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the workers of an instance are told to do. */
final class WorkerActions {

  private WorkerActions() {}

  /** Good only if every worker has done it. */
  static int status(JsonNode command) {
    return switch (command.path("state").asString("")) {
      case "DONE", "RUNNING" -> Action.GOOD;
      default -> Action.BAD;
    };
  }

  /** What became of a command, worker by worker. */
  static String result(JsonNode command) {
    String head =
        "%s %s: %s%n"
            .formatted(
                command.path("command").asString(""),
                command.path("id").asString(""),
                Text.words(command.path("state").asString("")));
    Table table =
        Table.of(
            command.path("workers"),
            Table.Column.of("RANK", "rank"),
            Table.Column.of("STATUS", "status"),
            Table.Column.of("TOKENS", "tokens"),
            Table.Column.of("CHUNKS", "chunks"),
            Table.Column.of("BYTES", "bytes"),
            Table.Column.of("OUTCOMES", "outcomes"),
            Table.Column.of("HEALTH", "errorCode"),
            Table.Column.of("CODE", "code"),
            Table.Column.of("ERROR", "error"));
    return head + table + reached(command);
  }

  /** What became of peers that were tried, if any were. */
  private static String reached(JsonNode command) {
    Table table = new Table("RANK", "PEER", "OUTCOME", "TOOK", "REASON");
    int peers = 0;
    for (JsonNode worker : command.path("workers")) {
      for (JsonNode peer : worker.path("peers")) {
        peers++;
        table.row(
            Table.text(worker.path("rank")),
            Table.text(peer.path("peerInitUrl")),
            Text.words(peer.path("outcome").asString("")),
            Text.age(peer.path("millis")),
            Table.text(peer.path("reason")));
      }
    }
    return peers == 0 ? "" : table.toString();
  }

  /** A command to an instance. */
  abstract static class Order extends Action {

    @Parameters(paramLabel = "INSTANCE", description = "whose workers are told")
    private String instance = "";

    @Option(
        names = "--wait",
        paramLabel = "SECONDS",
        defaultValue = "30",
        description = "for its end; it goes on after that (default ${DEFAULT-VALUE})")
    private int waitSeconds;

    private final String name;

    Order(String name) {
      this.name = name;
    }

    @Override
    final int run(Connection connection) throws ApiException, InterruptedException {
      ObjectNode request = JsonMapper.shared().createObjectNode().put("instanceId", instance);
      fill(request);
      Duration wait = Duration.ofSeconds(Math.max(0, waitSeconds));
      String path = "/api/v1/commands/%s?waitMillis=%d".formatted(name, wait.toMillis());
      JsonNode answer = connection.tell(api -> api.post(path, request, wait));
      connection.print(answer, () -> result(answer));
      return status(answer);
    }

    /** Puts in what belongs to this command. */
    abstract void fill(ObjectNode request);
  }

  /** Asks how the workers are. */
  @Command(name = "health", description = "Asks each worker of an instance how it is; 0 is good.")
  static final class Health extends Order {
    Health() {
      super("health");
    }

    @Override
    void fill(ObjectNode request) {}
  }

  /** Tries the ways between workers. */
  @Command(
      name = "reach",
      description = "Has an instance try to reach the agents that it would pull from.")
  static final class Reach extends Order {

    @Option(names = "--rank", paramLabel = "RANK", description = "only this one (default: all)")
    private @Nullable Integer rank;

    Reach() {
      super("reach");
    }

    @Override
    void fill(ObjectNode request) {
      if (rank != null) {
        request.put("rank", rank);
      }
    }
  }

  /** Drops chunks. */
  @Command(name = "clear", description = "Drops all chunks of an instance that may go.")
  static final class Clear extends Order {
    Clear() {
      super("clear");
    }

    @Override
    void fill(ObjectNode request) {}
  }

  /** Keeps chunks. */
  @Command(name = "pin", description = "Keeps chunks from being evicted, under the command's id.")
  static final class Pin extends Order {

    @Mixin private Chunks.Told chunks = new Chunks.Told();

    @Option(names = "--id", paramLabel = "ID", description = "of the pins, for unpin")
    private String id = "";

    Pin() {
      super("pin");
    }

    @Override
    void fill(ObjectNode request) {
      chunks.into(request);
      if (!id.isEmpty()) {
        request.put("id", id);
      }
    }
  }

  /** Keeps them no longer. */
  @Command(name = "unpin", description = "Takes pins off: those of some chunks, or all.")
  static final class Unpin extends Order {

    @Mixin private Chunks.Told chunks = new Chunks.Told();

    @Option(
        names = "--owner",
        required = true,
        paramLabel = "ID",
        description = "of the command that pinned")
    private String owner = "";

    Unpin() {
      super("unpin");
    }

    @Override
    void fill(ObjectNode request) {
      chunks.into(request);
      request.put("owner", owner);
    }
  }

  /** Compresses chunks. */
  @Command(name = "compress", description = "Compresses chunks where they lie: some, or all.")
  static final class Compress extends Packing {
    Compress() {
      super("compress");
    }
  }

  /** Takes that back. */
  @Command(
      name = "decompress",
      description = "Writes compressed chunks back as they were: some, or all.")
  static final class Decompress extends Packing {
    Decompress() {
      super("decompress");
    }
  }

  /** Both ways. */
  abstract static class Packing extends Order {

    @Mixin private Chunks.Told chunks = new Chunks.Told();

    @Option(
        names = "--method",
        paramLabel = "METHOD",
        defaultValue = "zstd",
        description = "zstd or lz4 (default ${DEFAULT-VALUE})")
    private String method = "";

    Packing(String name) {
      super(name);
    }

    @Override
    final void fill(ObjectNode request) {
      chunks.into(request);
      request.put("method", method);
    }
  }

  /** Options of what takes its time, and can be cancelled meanwhile. */
  static final class Lasting {

    @Option(
        names = "--rank",
        paramLabel = "RANK",
        description = "of the one worker that is told (default: all)")
    private @Nullable Integer rank;

    @Option(names = "--id", paramLabel = "ID", description = "by which it is cancelled")
    private String id = "";

    @Option(
        names = "--deadline",
        paramLabel = "SECONDS",
        description = "after which it ends (default: what the workers allow)")
    private int deadlineSeconds;

    void into(ObjectNode request) {
      if (rank != null) {
        request.put("rank", rank);
      }
      if (!id.isEmpty()) {
        request.put("id", id);
      }
      if (deadlineSeconds > 0) {
        request.put("deadlineMillis", Duration.ofSeconds(deadlineSeconds).toMillis());
      }
    }
  }

  /** Brings a prefix to an instance. */
  @Command(
      name = "prefetch",
      description = "Brings a prefix to an instance, from whoever has it; cancel ends that.")
  static final class Prefetch extends Order {

    @Mixin private Chunks.Prefix prefix = new Chunks.Prefix();
    @Mixin private Lasting lasting = new Lasting();

    Prefetch() {
      super("prefetch");
    }

    @Override
    void fill(ObjectNode request) {
      prefix.into(request);
      lasting.into(request);
    }
  }

  /** Has workers hand their chunks over. */
  @Command(
      name = "drain",
      description =
          "Has an instance hand its chunks over before it is taken out of service; it keeps them"
              + " and serves on. cancel ends that, undrain takes it back.")
  static final class Drain extends Order {

    @Option(
        names = "--target",
        paramLabel = "INSTANCE",
        description = "that gets them (default: whom the controllers choose)")
    private String target = "";

    @Mixin private Lasting lasting = new Lasting();

    @Option(
        names = "--max-bytes",
        paramLabel = "BYTES",
        description = "that each worker may hand over (default: all)")
    private long maxBytes;

    Drain() {
      super("drain");
    }

    @Override
    void fill(ObjectNode request) {
      if (!target.isEmpty()) {
        request.put("targetInstanceId", target);
      }
      lasting.into(request);
      if (maxBytes > 0) {
        request.put("maxBytes", maxBytes);
      }
    }
  }

  /** Takes a drain back. */
  @Command(
      name = "undrain",
      description =
          "Has an instance stay: ends its drain, and it takes from others that are drained again.")
  static final class Undrain extends Order {

    @Option(names = "--rank", paramLabel = "RANK", description = "only this one (default: all)")
    private @Nullable Integer rank;

    Undrain() {
      super("undrain");
    }

    @Override
    void fill(ObjectNode request) {
      if (rank != null) {
        request.put("rank", rank);
      }
    }
  }

  /** Brings chunks elsewhere. */
  @Command(name = "move", description = "Brings chunks of an instance to another: some, or all.")
  static final class Move extends Order {

    @Mixin private Chunks.Told chunks = new Chunks.Told();

    @Parameters(index = "1", paramLabel = "TARGET", description = "instance that gets them")
    private String target = "";

    @Option(names = "--copy", description = "they stay where they are, too")
    private boolean copy;

    Move() {
      super("move");
    }

    @Override
    void fill(ObjectNode request) {
      chunks.into(request);
      request.put("targetInstanceId", target).put("copy", copy);
    }
  }
}

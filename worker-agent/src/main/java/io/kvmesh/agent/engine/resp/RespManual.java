package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.common.count.Counters;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What the door tells about itself. */
final class RespManual {

  /** Whose commands these are, as far as they are there. */
  static final String REDIS_VERSION = "7.0.0";

  private static final Set<String> WHOLE = Set.of("all", "default", "everything");

  private RespManual() {}

  /** COMMAND [COUNT | DOCS | LIST | INFO name ...]. */
  static void command(List<String> arguments, RespReplies out) throws IOException, RespError {
    String what = arguments.isEmpty() ? "" : arguments.getFirst().toUpperCase(Locale.ROOT);
    List<RespCommand> all = List.of(RespCommand.values());
    switch (what) {
      case "" -> describeAll(all.stream().map(Optional::of).toList(), out);
      case "COUNT" -> out.number(all.size());
      case "DOCS" -> out.array(0);
      case "LIST" -> list(all, out);
      case "INFO" -> describeAll(named(arguments), out);
      default -> throw RespError.of("unknown subcommand '%s'".formatted(what));
    }
  }

  private static List<Optional<RespCommand>> named(List<String> arguments) {
    return arguments.stream().skip(1).map(RespCommand::of).toList();
  }

  private static void list(List<RespCommand> commands, RespReplies out) throws IOException {
    out.array(commands.size());
    for (RespCommand command : commands) {
      out.text(command.text());
    }
  }

  private static void describeAll(List<Optional<RespCommand>> commands, RespReplies out)
      throws IOException {
    out.array(commands.size());
    for (Optional<RespCommand> command : commands) {
      if (command.isPresent()) {
        describe(command.get(), out);
      } else {
        out.none();
      }
    }
  }

  /** Name, arity, flags, and where its keys are. */
  private static void describe(RespCommand command, RespReplies out) throws IOException {
    out.array(6);
    out.text(command.text());
    out.number(command.arity());
    out.array(command.flags().size());
    for (String flag : command.flags()) {
      out.simple(flag);
    }
    out.number(command.isKeyed() ? 1 : 0);
    out.number(command.isKeyedThroughout() ? -1 : command.isKeyed() ? 1 : 0);
    out.number(command.isKeyed() ? 1 : 0);
  }

  /**
   * INFO [section ...].
   *
   * @param sections none = all
   */
  static String info(List<String> sections, ChunkDesk desk) {
    Set<String> wanted =
        sections.stream().map(it -> it.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    boolean whole = wanted.isEmpty() || wanted.stream().anyMatch(WHOLE::contains);
    return allSections(desk).entrySet().stream()
        .filter(it -> whole || wanted.contains(it.getKey().toLowerCase(Locale.ROOT)))
        .map(it -> "# %s\r\n%s\r\n".formatted(it.getKey(), it.getValue()))
        .collect(Collectors.joining("\r\n"));
  }

  private static Map<String, String> allSections(ChunkDesk desk) {
    Counters<DoorCount> counters = desk.counters();
    Map<String, String> sections = new LinkedHashMap<>();
    sections.put(
        "Server",
        "server_name:kvmesh\r\nredis_version:%s\r\nredis_mode:standalone".formatted(REDIS_VERSION));
    sections.put(
        "Stats",
        "total_connections_received:%d\r\nrejected_connections:%d\r\nkeyspace_hits:%d\r\nkeyspace_misses:%d"
            .formatted(
                counters.get(DoorCount.CONNECTION),
                counters.get(DoorCount.CONNECTION_REFUSED),
                counters.get(DoorCount.GET_LOCAL) + counters.get(DoorCount.GET_PEER),
                counters.get(DoorCount.GET_MISS)));
    sections.put("Replication", "role:master\r\nconnected_slaves:0");
    sections.put("Keyspace", keyspace(desk.chunks()));
    return sections;
  }

  private static String keyspace(int chunks) {
    return chunks == 0 ? "" : "db0:keys=%d,expires=0,avg_ttl=0".formatted(chunks);
  }
}

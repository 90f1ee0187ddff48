package io.kvmesh.quickstart;

import io.kvmesh.cli.Kvmesh;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.Member;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command line as an operator uses it, with the addresses of these controllers. Any thread. */
final class OperatorShell {

  private final List<Member> controllers;

  OperatorShell(Member... controllers) {
    this.controllers = List.of(controllers);
  }

  /**
   * How a command ended.
   *
   * @param err what it said beside its answer
   */
  record Told(int status, String out, String err) {

    /** The answer of a command that was asked for JSON. */
    JsonNode json() {
      return JsonMapper.shared().readTree(out);
    }
  }

  /** Runs {@code kvmesh WORDS}. */
  Told kvmesh(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String urls =
        controllers.stream()
            .map(controller -> "http://" + controller.address(Fleet.REST))
            .collect(Collectors.joining(","));
    int status =
        Kvmesh.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(
                Stream.concat(Stream.of(words), Stream.of("--url", urls)).toArray(String[]::new));
    return new Told(status, out.toString(), err.toString());
  }
}

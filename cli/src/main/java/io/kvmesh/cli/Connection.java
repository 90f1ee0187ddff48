package io.kvmesh.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Options of every command: which controllers, and how to print. */
final class Connection {

  private static final JsonMapper PRETTY =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** How answers are printed. */
  enum Format {
    TABLE,
    JSON
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--url",
      split = ",",
      paramLabel = "URL",
      defaultValue = "${env:KVMESH_URL:-http://127.0.0.1:9000}",
      description =
          "controllers' REST; all but doctor and status ask the first that answers"
              + " (KVMESH_URL; default ${DEFAULT-VALUE})")
  private List<String> urls;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "for an answer (default ${DEFAULT-VALUE})")
  private int timeoutSeconds;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      defaultValue = "${env:KVMESH_TOKEN_FILE}",
      description = "file with the token that the controllers ask for (KVMESH_TOKEN_FILE)")
  private @Nullable Path tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      defaultValue = "${env:KVMESH_CA_FILE}",
      description =
          "certificates in PEM by which https:// controllers are known, in place of those of the"
              + " JVM (KVMESH_CA_FILE)")
  private @Nullable Path caFile;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "TABLE",
      description = "table or json (default table)")
  private Format format;

  /** Options are set by the parser. */
  @SuppressWarnings("NullAway.Init")
  Connection() {}

  /** All controllers that were named. */
  List<Api> controllers() {
    String token = token();
    SSLContext trust = trust();
    return urls.stream().map(url -> new Api(url, token, trust, timeout())).toList();
  }

  private SSLContext trust() {
    try {
      return ServerTrust.context(caFile);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), "--ca-file can't be read: " + e, e);
    }
  }

  /** Empty without one. */
  private String token() {
    try {
      return tokenFile == null ? "" : Files.readString(tokenFile).strip();
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), "--token-file can't be read: " + e, e);
    }
  }

  /** For an answer, or a connection. */
  Duration timeout() {
    return Duration.ofSeconds(Math.max(1, timeoutSeconds));
  }

  /** A question to one controller. */
  interface Question {
    JsonNode ask(Api api) throws ApiException, InterruptedException;
  }

  /** The answer of the first controller that can be reached. */
  JsonNode ask(Question question) throws ApiException, InterruptedException {
    ApiException.Unreachable last = null;
    for (Api api : controllers()) {
      try {
        return question.ask(api);
      } catch (ApiException.Unreachable e) {
        last = e;
      }
    }
    throw noAnswer(last);
  }

  /** The same for what must not be done twice: it goes on only if nothing was sent. */
  JsonNode tell(Question question) throws ApiException, InterruptedException {
    ApiException.Unreachable last = null;
    for (Api api : controllers()) {
      try {
        return question.ask(api);
      } catch (ApiException.Unreachable e) {
        if (e.isSent()) {
          throw e.perhapsDone();
        }
        last = e;
      }
    }
    throw noAnswer(last);
  }

  /** The answer of the first controller that knows of it: others may have begun it. */
  JsonNode seek(Question question) throws ApiException, InterruptedException {
    ApiException last = null;
    for (Api api : controllers()) {
      try {
        return question.ask(api);
      } catch (ApiException.Refused e) {
        if (!e.isUnknown()) {
          throw e;
        }
        last = last == null ? e : last;
      } catch (ApiException.Unreachable e) {
        // It may be the one.
        last = e;
      }
    }
    throw last == null ? noAnswer(null) : last;
  }

  private static ApiException noAnswer(ApiException.@Nullable Unreachable last) {
    return last == null ? ApiException.Unreachable.notSent("--url", "names no controller") : last;
  }

  /** Prints an answer: as it came, or the table made of it. */
  void print(JsonNode answer, Supplier<Object> table) {
    PrintWriter out = out();
    out.print(format == Format.JSON ? PRETTY.writeValueAsString(answer) + "\n" : table.get());
    out.flush();
  }

  /**
   * Prints each element in a line: as it came, or the text made of it without control characters.
   */
  void printLines(JsonNode elements, Function<JsonNode, String> text) {
    PrintWriter out = out();
    for (JsonNode element : elements) {
      out.println(
          format == Format.JSON
              ? element.toString()
              : text.apply(element).replaceAll("\\p{Cntrl}", "?"));
    }
    out.flush();
  }

  /** Says something beside the answer. */
  void say(String text) {
    PrintWriter err = err();
    err.println("kvmesh: " + text);
    err.flush();
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  PrintWriter err() {
    return spec.commandLine().getErr();
  }
}

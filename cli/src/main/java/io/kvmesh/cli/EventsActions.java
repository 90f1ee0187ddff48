package io.kvmesh.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** What controllers see. */
@Command(
    name = "events",
    description = "Shows what a controller sees: see its commands.",
    subcommands = EventsActions.Tail.class)
final class EventsActions implements Runnable {

  @Spec private CommandSpec spec;

  /** Options are set by the parser. */
  @SuppressWarnings("NullAway.Init")
  EventsActions() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Say which: events tail");
  }

  /** The latest events of one controller, and on. */
  @Command(
      name = "tail",
      description =
          "Shows what a controller lately took from the log and did: batches, gaps, snapshots,"
              + " registrations, states, refusals, commands.")
  static final class Tail extends Action {

    /** As many as a controller tells at a time. */
    private static final int MOST = 1000;

    @Option(
        names = {"-f", "--follow"},
        description = "goes on with what follows, until Ctrl-C")
    private boolean follow;

    @Option(
        names = "--kind",
        split = ",",
        paramLabel = "KIND",
        description =
            "only these: operations, snapshot, registered, down, state, gap, mismatch, refused,"
                + " command")
    private List<String> kinds = new ArrayList<>();

    @Option(
        names = "--worker",
        paramLabel = "WORKER",
        description = "only of this instance, or instance/rank")
    private String worker = "";

    @Option(
        names = {"-n", "--lines"},
        paramLabel = "N",
        defaultValue = "20",
        description = "the latest so many at first (default ${DEFAULT-VALUE})")
    private int lines;

    @Option(
        names = "--interval",
        paramLabel = "MILLIS",
        defaultValue = "1000",
        description = "between two looks (default ${DEFAULT-VALUE})")
    private int intervalMillis;

    @Option(names = "--looks", paramLabel = "N", description = "ends after so many; 0 = never")
    private int looks;

    /** The one that told last: another's ids mean nothing to it. */
    private @Nullable Api source;

    private long next;

    /** Options are set by the parser. */
    @SuppressWarnings("NullAway.Init")
    Tail() {}

    @Override
    int run(Connection connection) throws ApiException, InterruptedException {
      for (int look = 1; ; look++) {
        JsonNode page = look(connection);
        connection.printLines(page.path("events"), Tail::line);
        next = page.path("next").asLong();
        if (!follow || look == looks) {
          return GOOD;
        }
        if (page.path("events").size() < MOST) {
          pause(intervalMillis);
        }
      }
    }

    private JsonNode look(Connection connection) throws ApiException, InterruptedException {
      Api known = source;
      if (known != null) {
        try {
          JsonNode page = known.get(path(MOST) + "&after=" + next);
          report(connection, page);
          return page;
        } catch (ApiException.Unreachable e) {
          connection.say(e.getMessage() + "; what it sees until it answers again isn't shown");
        }
      }
      return connection.ask(
          api -> {
            JsonNode page = api.get(path(Math.clamp(lines, 1, MOST)));
            source = api;
            if (known != null) {
              connection.say("goes on with " + api.url());
            }
            return page;
          });
    }

    private static void report(Connection connection, JsonNode page) {
      if (page.path("anew").asBoolean(false)) {
        connection.say("the controller was started again; what it saw in between isn't shown");
      }
      long missed = page.path("missed").asLong(0);
      if (missed > 0) {
        connection.say(missed + " events came faster than they were asked for and aren't shown");
      }
    }

    private String path(int limit) {
      StringBuilder path = new StringBuilder("/api/v1/events?limit=").append(limit);
      if (!kinds.isEmpty()) {
        path.append("&kind=").append(encoded(String.join(",", kinds)));
      }
      if (!worker.isEmpty()) {
        path.append("&worker=").append(encoded(worker));
      }
      return path.toString();
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Time, kind, worker, life and number, and what happened. */
    private static String line(JsonNode event) {
      return "%s %-10s %s%s%s %s"
          .formatted(
              Instant.ofEpochMilli(event.path("millis").asLong()),
              Text.words(Table.text(event.path("kind"))),
              who(event),
              number(" epoch ", event.path("epoch")),
              number(" sequence ", event.path("sequence")),
              what(event));
    }

    private static String who(JsonNode event) {
      JsonNode rank = event.path("rank");
      return Table.text(event.path("instanceId")) + (rank.isNumber() ? "/" + rank.asInt() : "");
    }

    private static String number(String name, JsonNode value) {
      return value.isNumber() ? name + value.asLong() : "";
    }

    private static String what(JsonNode event) {
      String text = Table.text(event.path("text"));
      if (!event.path("kind").asString("").equals("OPERATIONS")) {
        return at(event) + text;
      }
      int chunks = event.path("admits").asInt(0) + event.path("evicts").asInt(0);
      JsonNode hashes = event.path("hashes");
      return at(event)
          + "+%d -%d chunks of %s: %s%s"
              .formatted(
                  event.path("admits").asInt(0),
                  event.path("evicts").asInt(0),
                  text,
                  Table.text(hashes),
                  hashes.size() < chunks ? ",..." : "");
    }

    private static String at(JsonNode event) {
      return event.path("location").isString() ? event.path("location").asString() + ": " : "";
    }
  }
}

package io.kvmesh.quickstart.docs;

import io.kvmesh.quickstart.docs.Document.Line;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** HTTP resources of agents and controllers. */
final class Endpoints {

  private static final Pattern PATH =
      Pattern.compile(
          "(?<!GET |POST |PUT |PATCH |DELETE )(?:\\$REST|https?://[\\w.:-]+|(?<![\\w./$}]))"
              + "(/(?:api/v1|actuator|controller|v3|swagger-ui)(?:[/.][\\w/{}*.-]*)?)(?![\\w-])");
  private static final Pattern WITH_METHOD =
      Pattern.compile("(GET|POST|PUT|PATCH|DELETE) (/[\\w/{}*.-]*)");

  /** Those of the page that springdoc makes, and one of an endpoint of the agent. */
  private static final Set<String> OTHERS =
      Set.of(
          "GET /v3/api-docs",
          "GET /swagger-ui.html",
          "GET /swagger-ui/index.html",
          "GET /actuator/chunks/{key}");

  private final Set<String> known;

  Endpoints(Tables tables) throws IOException {
    known = new TreeSet<>(tables.resources());
    known.addAll(Sources.actuator());
    known.addAll(OTHERS);
  }

  void check(Document document, Line line, Faults faults) {
    for (MatchResult found : WITH_METHOD.matcher(line.text()).results().toList()) {
      require(document, line, found.group(1), found.group(2), faults);
    }
    for (MatchResult found : PATH.matcher(line.text()).results().toList()) {
      require(document, line, "", found.group(1), faults);
    }
  }

  private void require(Document document, Line line, String method, String path, Faults faults) {
    String plain = path.replaceFirst("[./]+$", "");
    if (known.stream().noneMatch(it -> it.startsWith(method) && isMeant(plain, it))) {
      faults.unknown(document, line, "endpoint", (method + " " + plain).strip(), known);
    }
  }

  /** Whether a path, perhaps with wildcards at its end, is that of a resource. */
  private static boolean isMeant(String path, String resource) {
    String[] asked = path.replaceFirst("/?\\*+$", "").split("/", -1);
    String[] there = resource.replaceFirst("^[A-Z]+ ", "").split("/", -1);
    boolean isLong =
        path.endsWith("*") ? asked.length <= there.length : asked.length == there.length;
    for (int i = 0; isLong && i < asked.length; i++) {
      isLong = asked[i].equals(there[i]) || there[i].startsWith("{");
    }
    return isLong;
  }
}

package io.kvmesh.quickstart.docs;

import io.kvmesh.quickstart.docs.Document.Line;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Links within the repository, and files of it that are named. */
final class Links {

  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern FILE =
      Pattern.compile(
          "(?<![\\w./:$=-])(?:helm|docs|build|\\.ci|common|embedded|worker-agent|controller|cli|quickstart"
              + "|benchmarks)/[\\w.-][\\w./-]*");

  private Links() {}

  static void links(Document document, Line line, Faults faults) {
    if (line.inBlock()) {
      return;
    }
    for (MatchResult found : LINK.matcher(line.text()).results().toList()) {
      String target = found.group(1);
      if (!target.contains("://") && !target.startsWith("mailto:")) {
        link(document, line, target, faults);
      }
    }
  }

  private static void link(Document document, Line line, String target, Faults faults) {
    String[] parts = target.split("#", 2);
    Path base = Document.ROOT.resolve(document.file());
    Path file = parts[0].isEmpty() ? base : base.resolveSibling(parts[0]).normalize();
    if (!Files.exists(file)) {
      faults.add(document, line, "the link " + target + " leads to no file");
    } else if (parts.length == 2) {
      var anchors = Document.read(Document.ROOT.relativize(file)).anchors();
      if (!anchors.contains(parts[1])) {
        faults.unknown(document, line, "heading for the link " + target, parts[1], anchors);
      }
    }
  }

  /** Files that code names, from the repository's root; not those that the build makes. */
  static void files(Document document, Line code, Faults faults) {
    FILE.matcher(code.text())
        .results()
        .map(MatchResult::group)
        .filter(file -> !file.contains("/target/") && !Files.exists(Document.ROOT.resolve(file)))
        .forEach(file -> faults.add(document, code, "there is no file " + file));
  }
}

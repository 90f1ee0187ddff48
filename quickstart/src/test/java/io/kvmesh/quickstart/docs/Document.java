package io.kvmesh.quickstart.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown file of the repository.
 *
 * @param file relative to the repository's root
 */
record Document(Path file, List<Line> lines) {

  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern FENCE = Pattern.compile("\\s*```.*");
  private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");
  private static final Pattern LINK_TEXT = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  /**
   * A line, or a part of one.
   *
   * @param number from 1
   * @param inBlock whether it is within a block of code
   */
  record Line(int number, String text, boolean inBlock) {}

  /** All that users read. */
  static List<Document> all() throws IOException {
    List<Document> all = new ArrayList<>();
    for (String file : List.of("README.md", "CONTRIBUTING.md", "helm/README.md")) {
      all.add(read(Path.of(file)));
    }
    try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
      files
          .filter(it -> it.toString().endsWith(".md"))
          .sorted()
          .forEach(it -> all.add(read(ROOT.relativize(it))));
    }
    return all;
  }

  static Document read(Path file) {
    try {
      return of(file, Files.readAllLines(ROOT.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Document of(Path file, List<String> texts) {
    List<Line> lines = new ArrayList<>();
    boolean inBlock = false;
    for (String text : texts) {
      boolean isFence = FENCE.matcher(text).matches();
      lines.add(new Line(lines.size() + 1, text, inBlock && !isFence));
      inBlock ^= isFence;
    }
    return new Document(file, lines);
  }

  /** Lines of blocks of code; one that ends with a backslash together with the next. */
  List<Line> commands() {
    List<Line> commands = new ArrayList<>();
    for (Line line : lines) {
      Line last = commands.isEmpty() ? null : commands.getLast();
      if (!line.inBlock()) {
        continue;
      }
      if (last != null && last.text().endsWith("\\")) {
        String begun = last.text().substring(0, last.text().length() - 1);
        commands.removeLast();
        commands.add(
            new Line(last.number(), begun.stripTrailing() + " " + line.text().strip(), true));
      } else {
        commands.add(line);
      }
    }
    return commands;
  }

  /** All that is code: commands, and what is between backticks. */
  List<Line> code() {
    List<Line> code = new ArrayList<>(commands());
    for (Line line : lines) {
      if (!line.inBlock()) {
        SPAN.matcher(line.text())
            .results()
            .forEach(it -> code.add(new Line(line.number(), it.group(1), false)));
      }
    }
    return code;
  }

  /** Anchors of the headings, as GitHub makes them. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    for (Line line : lines) {
      var heading = HEADING.matcher(line.text());
      if (!line.inBlock() && heading.matches()) {
        String anchor = anchor(heading.group(1));
        for (int n = 1; !anchors.add(anchor); n++) {
          anchor = anchor(heading.group(1)) + "-" + n;
        }
      }
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return LINK_TEXT
        .matcher(heading.strip())
        .replaceAll("$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  /** Rows of the table with this name, without its head; none if it isn't here. */
  List<String> rows(String table) {
    List<String> texts = lines.stream().map(Line::text).toList();
    int begin = texts.indexOf("<!-- table: " + table + " -->");
    if (begin < 0) {
      return List.of();
    }
    List<String> rest = texts.subList(begin + 3, texts.size());
    return rest.subList(0, rest.indexOf("<!-- end -->"));
  }
}

import com.google.googlejavaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks or formats every Java source below a folder: {@code FormatSources --check|--replace ROOT}.
 * Run by Maven (see the parent POM) in a process of its own on the JDK that the project compiles
 * with.
 */
public final class FormatSources {

  private static final String HOW_TO_FORMAT = "mvn -q -N -Pformat process-sources";

  private FormatSources() {}

  public static void main(String[] args) throws Exception {
    boolean replace = args[0].equals("--replace");
    Path root = Path.of(args[1]);
    List<String> command =
        new ArrayList<>(
            replace ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed"));
    sources(root).forEach(file -> command.add(file.toString()));

    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new Main(new PrintWriter(out), new PrintWriter(err), System.in)
            .format(command.toArray(String[]::new));
    System.err.print(err);
    if (exit != 0) {
      out.toString().lines().forEach(file -> System.err.println("not formatted: " + file));
      System.err.println("To format all sources: " + HOW_TO_FORMAT);
    }
    System.exit(exit);
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !isBuildOutput(root.relativize(file)))
          .sorted()
          .toList();
    }
  }

  private static boolean isBuildOutput(Path relative) {
    for (Path part : relative) {
      if (part.toString().equals("target") || part.toString().startsWith(".")) {
        return true;
      }
    }
    return false;
  }
}

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes what an image without a base needs below the programs: {@code ImageRoot FOLDER} puts there
 * a runtime made of the JDK that runs this, and the system's libraries that it is linked with. Run
 * by Maven (see the profile {@code scratch} of the parent POM). For Linux.
 */
public final class ImageRoot {

  /** Where Eclipse Temurin's images have theirs. */
  private static final String JAVA_HOME = "opt/java/openjdk";

  private static final String MODULES =
      "java.se,jdk.jcmd,jdk.management,jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs";

  /**
   * Lines of ldd: {@code libc.so.6 => /lib/.../libc.so.6 (0x...)}, {@code /lib64/ld... (0x...)}.
   */
  private static final Pattern LIBRARY = Pattern.compile("(?:=> )?(/\\S+) \\(0x");

  private ImageRoot() {}

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    Path java = root.resolve(JAVA_HOME);
    if (Files.exists(java.resolve("release"))) {
      return;
    }
    Files.createDirectories(java.getParent());
    ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
    int status =
        jlink.run(
            System.out,
            System.err,
            "--add-modules",
            MODULES,
            "--strip-java-debug-attributes",
            "--no-header-files",
            "--no-man-pages",
            "--output",
            java.toString());
    if (status != 0) {
      System.exit(status);
    }
    for (Path library : libraries(java)) {
      Path target = root.resolve(Path.of("/").relativize(library));
      Files.createDirectories(target.getParent());
      Files.copy(library, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Those of the system that the runtime's programs and libraries name. */
  private static Set<Path> libraries(Path java) throws IOException, InterruptedException {
    Set<Path> libraries = new TreeSet<>();
    try (Stream<Path> files = Files.walk(java)) {
      List<Path> linked =
          files
              .filter(file -> file.toString().endsWith(".so") || file.endsWith("bin/java"))
              .toList();
      for (Path file : linked) {
        Process ldd = new ProcessBuilder("ldd", file.toString()).redirectErrorStream(true).start();
        String said = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        ldd.waitFor();
        Matcher library = LIBRARY.matcher(said);
        while (library.find()) {
          Path path = Path.of(library.group(1));
          if (!path.startsWith(java.toAbsolutePath())) {
            libraries.add(path);
          }
        }
      }
    }
    return libraries;
  }
}

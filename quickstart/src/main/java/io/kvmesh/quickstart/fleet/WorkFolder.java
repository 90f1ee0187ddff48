package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.IoFault;
import io.kvmesh.quickstart.QuickstartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One run's logs and data, in a folder named after this process. What a killed run left behind is
 * removed by the next one, unless it was kept on purpose.
 */
public final class WorkFolder {

  private static final long NEEDED_BYTES = 200L << 20;
  private static final long FULL_BYTES = 1L << 20;
  private static final String KEPT = "kept";
  private static final Pattern NAME = Pattern.compile("run-(\\d+)");

  private final Path path;

  private WorkFolder(Path path) {
    this.path = path;
  }

  /**
   * A new folder below {@code parent}.
   *
   * @throws QuickstartException where it can't be written or has too little room
   */
  public static WorkFolder create(Path parent) throws QuickstartException {
    Path absolute = parent.toAbsolutePath();
    Path path = absolute.resolve("run-" + ProcessHandle.current().pid());
    try {
      Files.createDirectories(absolute);
      removeLeftOvers(absolute);
      delete(path);
      Files.createDirectories(path.resolve("logs"));
      long free = Files.getFileStore(path).getUsableSpace();
      if (free < NEEDED_BYTES) {
        delete(path);
        throw new QuickstartException(
            String.format(
                "too little room in %s: %d MiB free, %d MiB needed (--work-dir names another"
                    + " place)",
                absolute, free >> 20, NEEDED_BYTES >> 20));
      }
    } catch (IOException | UncheckedIOException e) {
      throw new QuickstartException("can't write to " + absolute + ": " + IoFault.reason(e), e);
    }
    return new WorkFolder(path);
  }

  public Path path() {
    return path;
  }

  /** Where all programs log. */
  public Path logs() {
    return path.resolve("logs");
  }

  /** Where the program with this name logs. */
  public Path log(String name) {
    return logs().resolve(name + ".log");
  }

  /** Working directory of the program with this name; created when missing. */
  Path data(String name) {
    Path data = path.resolve(name);
    try {
      return Files.createDirectories(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** True if there is so little room left that this explains most failures. */
  public boolean isFull() {
    try {
      return Files.getFileStore(path).getUsableSpace() < FULL_BYTES;
    } catch (IOException e) {
      return false;
    }
  }

  /** Lets it survive later runs. */
  public void keep() {
    try {
      Files.writeString(path.resolve(KEPT), "");
    } catch (IOException e) {
      // the next run will remove it
    }
  }

  /** Removes it; what can't be removed stays. */
  public void remove() {
    try {
      delete(path);
    } catch (IOException | UncheckedIOException e) {
      // a program that is just ending may still write; the next run removes the rest
    }
  }

  private static void removeLeftOvers(Path parent) throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, "run-*")) {
      for (Path folder : folders) {
        Matcher name = NAME.matcher(String.valueOf(folder.getFileName()));
        if (name.matches() && isLeftOver(folder, Long.parseLong(name.group(1)))) {
          delete(folder);
        }
      }
    }
  }

  private static boolean isLeftOver(Path folder, long pid) {
    return ProcessHandle.of(pid).isEmpty() && Files.notExists(folder.resolve(KEPT));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path entry : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(entry);
      }
    } catch (NoSuchFileException e) {
      // nothing to delete
    }
  }
}

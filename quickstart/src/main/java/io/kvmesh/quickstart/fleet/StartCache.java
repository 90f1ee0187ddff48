package io.kvmesh.quickstart.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a module's processes start in half of the time. In a training run the first of them notes
 * what it loads; the JVM makes a file of that, its AOT cache (JEP 483 tells more), which every
 * later process maps instead of reading, checking and linking its classes. A cache is for one state
 * of the classes, the libraries and the JVM, and its name tells which: none is ever out of date.
 * Without one, and where anything about it fails, processes start as they would anyway. Any thread.
 */
final class StartCache {

  private static final Logger LOG = LoggerFactory.getLogger(StartCache.class);
  private static final Duration MAKE_TIMEOUT = Duration.ofMinutes(2);

  /** What these tell every JVM need not go with a cache; then there is none. */
  private static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private final String module;
  private final String classPath;
  private final Path folder;
  private final Optional<Path> notes;

  @GuardedBy("this")
  private @Nullable Training training;

  /** What is made of the notes of a process. */
  private record Training(String jars, Path notes, Path cache) {}

  /**
   * @param folder of all caches
   * @param notes for a training run: where its first process writes what it has loaded
   */
  StartCache(String module, String classPath, Path folder, Optional<Path> notes) {
    this.module = module;
    this.classPath = classPath;
    this.folder = folder;
    this.notes = notes.map(path -> path.resolve(module + ".aotconf"));
  }

  /** What the next process is to be started with. */
  synchronized JavaClasses classes() {
    if (VARIABLES.stream().anyMatch(name -> !System.getenv().getOrDefault(name, "").isEmpty())) {
      return new JavaClasses(classPath);
    }
    try {
      ClassPath classes = new ClassPath(classPath);
      Path cache = folder.resolve(module + "-" + classes.key(jvm()) + ".aot");
      if (Files.exists(cache)) {
        return new JavaClasses(
            classes.inJars(folder), List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=error"));
      }
      return training == null && notes.isPresent()
          ? train(classes, notes.get(), cache)
          : new JavaClasses(classPath);
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("{} starts without a cache of its classes: {}", module, e.toString());
      return new JavaClasses(classPath);
    }
  }

  @GuardedBy("this")
  private JavaClasses train(ClassPath classes, Path file, Path cache) throws IOException {
    Files.createDirectories(folder);
    training = new Training(classes.inJars(folder), file, cache);
    return new JavaClasses(
        training.jars(),
        List.of(
            "-XX:AOTMode=record",
            "-XX:AOTConfiguration=" + file,
            // It says of each class that can't be kept that it can't.
            "-Xlog:disable",
            "-Xlog:all=error:stderr"));
  }

  private static String jvm() {
    return System.getProperty("java.home")
        + System.getProperty("java.vm.version")
        + JavaCommand.OPTIONS;
  }

  /** True if a process of this run notes what it loads; its end takes some seconds longer. */
  synchronized boolean isTraining() {
    return training != null;
  }

  /** Makes the cache, where a process has ended by itself and left its notes. Takes seconds. */
  void make() {
    Training done;
    synchronized (this) {
      done = training;
    }
    if (done == null || Files.notExists(done.notes())) {
      return;
    }
    try {
      Path made = Files.createTempFile(folder, module + "-", ".making");
      try {
        make(done, made);
        Files.move(made, done.cache(), StandardCopyOption.ATOMIC_MOVE);
        removeOthers(done);
      } finally {
        Files.deleteIfExists(made);
        Files.deleteIfExists(done.notes());
      }
    } catch (IOException e) {
      LOG.warn("no cache of {}'s classes was made: {}", module, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void make(Training training, Path file) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(JavaCommand.jvm());
    command.add("-XX:AOTMode=create");
    command.add("-XX:AOTConfiguration=" + training.notes());
    command.add("-XX:AOTCache=" + file);
    command.addAll(List.of("-Xlog:disable", "-cp", training.jars()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!process.waitFor(MAKE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("it took longer than " + MAKE_TIMEOUT.toSeconds() + " s");
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0 || Files.size(file) == 0) {
      throw new IOException("java -XX:AOTMode=create ended with " + process.exitValue());
    }
  }

  /** Caches and jars of former states of the classes. */
  private void removeOthers(Training training) throws IOException {
    Set<Path> current = new HashSet<>(Set.of(training.cache()));
    Stream.of(training.jars().split(File.pathSeparator, -1)).map(Path::of).forEach(current::add);
    Set<String> names =
        current.stream()
            .filter(file -> folder.equals(file.getParent()))
            .map(StartCache::name)
            .collect(Collectors.toSet());
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*.{aot,jar}")) {
      for (Path file : all) {
        if (names.contains(name(file)) && !current.contains(file)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Of NAME-KEY.aot and NAME-KEY.jar. */
  private static String name(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.substring(0, Math.max(0, name.lastIndexOf('-')));
  }
}

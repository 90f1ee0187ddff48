package io.kvmesh.quickstart.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a program that says hello, and the JVM's word for where it had its class from. */
class StartCacheIT {

  private static final String PROGRAM = Hello.class.getName();
  private static final String CLASS_FILE = PROGRAM.replace('.', '/') + ".class";

  @TempDir private Path folder;
  private Path classes;
  private Path caches;

  /** What is started. */
  static final class Hello {
    private Hello() {}

    public static void main(String[] arguments) {
      System.out.println("hello");
    }
  }

  @BeforeEach
  void fill() throws Exception {
    classes = folder.resolve("hello/target/classes");
    caches = folder.resolve("caches");
    Path file = classes.resolve(CLASS_FILE);
    Files.createDirectories(file.getParent());
    try (InputStream in = Hello.class.getResourceAsStream("/" + CLASS_FILE)) {
      Files.copy(in, file);
    }
  }

  @Test
  void trained_laterProcessesHaveTheirClassesFromTheCache() throws Exception {
    StartCache training = training();
    assertThat(run(training.classes())).contains("hello");
    training.make();

    assertThat(run(notTraining().classes(), "-Xlog:class+load"))
        .contains("hello")
        .anyMatch(line -> line.contains(PROGRAM) && line.contains("shared objects file"));
    assertThat(run(training().classes(), "-Xlog:aot")).contains("hello");
    assertThat(files("*.making")).isEmpty();
  }

  @Test
  void training_onlyTheFirstProcessTakesNotes() {
    StartCache training = training();

    assertThat(training.isTraining()).isFalse();
    assertThat(training.classes().options()).contains("-XX:AOTMode=record");
    assertThat(training.isTraining()).isTrue();
    assertThat(training.classes()).isEqualTo(new JavaClasses(classes.toString()));
  }

  @Test
  void notTraining_withoutCache_startsFromTheFolders() {
    assertThat(notTraining().classes()).isEqualTo(new JavaClasses(classes.toString()));
    assertThat(caches).doesNotExist();
  }

  @Test
  void changedClasses_startFromTheFolders_andTheNextTrainingRemovesTheOldCache() throws Exception {
    train();
    List<Path> old = files("*.{aot,jar}");
    Files.setLastModifiedTime(classes.resolve(CLASS_FILE), FileTime.fromMillis(1));

    assertThat(notTraining().classes()).isEqualTo(new JavaClasses(classes.toString()));
    train();

    assertThat(old).hasSize(2);
    assertThat(files("*.{aot,jar}")).hasSize(2).doesNotContainAnyElementsOf(old);
  }

  @Test
  void cacheCutShort_processStartsAnyway() throws Exception {
    train();
    Path cache = files("*.aot").getFirst();
    try (FileChannel channel = FileChannel.open(cache, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }

    assertThat(run(notTraining().classes())).contains("hello");
  }

  @Test
  void processKilledBeforeItLeftNotes_noCacheIsMade() throws Exception {
    StartCache training = training();
    training.classes();
    training.make();

    assertThat(files("*.aot")).isEmpty();
  }

  @Test
  void folderThatCannotBeMade_processStartsAnyway() throws Exception {
    Files.writeString(caches, "a file");

    StartCache training = training();

    assertThat(training.classes()).isEqualTo(new JavaClasses(classes.toString()));
    assertThat(training.isTraining()).isFalse();
  }

  private void train() throws Exception {
    StartCache training = training();
    run(training.classes());
    training.make();
  }

  private StartCache training() {
    return new StartCache("hello", classes.toString(), caches, Optional.of(folder));
  }

  private StartCache notTraining() {
    return new StartCache("hello", classes.toString(), caches, Optional.empty());
  }

  /** The lines that it prints. */
  private List<String> run(JavaClasses java, String... options) throws Exception {
    List<String> all = new ArrayList<>(java.options());
    all.addAll(List.of(options));
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(new JavaCommand(new JavaClasses(java.path(), all), PROGRAM, 64).words())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return Files.readString(out, StandardCharsets.UTF_8).lines().toList();
  }

  private List<Path> files(String glob) throws Exception {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(caches, glob)) {
      found.forEach(files::add);
    }
    return files;
  }
}

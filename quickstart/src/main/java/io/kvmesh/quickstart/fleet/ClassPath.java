package io.kvmesh.quickstart.fleet;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** A class path of folders that the build fills and of libraries, as it is at one moment. */
final class ClassPath {

  private static final int KEY_BYTES = 8;

  private final List<Path> entries;

  ClassPath(String path) {
    this.entries = Stream.of(path.split(File.pathSeparator, -1)).map(Path::of).toList();
  }

  /** Differs as soon as a file of it does, by name, size or time. */
  String key(String more) throws IOException {
    StringBuilder all = new StringBuilder(more);
    for (Path entry : entries) {
      all.append(state(entry));
    }
    return hash(all.toString());
  }

  /** The same classes in jars alone; the folders' are made where they aren't there yet. */
  String inJars(Path folder) throws IOException {
    List<String> jars = new ArrayList<>();
    for (Path entry : entries) {
      jars.add((Files.isDirectory(entry) ? jar(entry, folder) : entry).toString());
    }
    return String.join(File.pathSeparator, jars);
  }

  private static Path jar(Path classes, Path folder) throws IOException {
    Path jar = folder.resolve(module(classes) + "-" + hash(state(classes)) + ".jar");
    if (Files.notExists(jar)) {
      Path made = Files.createTempFile(folder, module(classes) + "-", ".making");
      try {
        pack(classes, made);
        // The JVM knows a jar by its time: one that is made again of the same classes is the same.
        Files.setLastModifiedTime(made, lastChange(classes));
        Files.move(made, jar, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(made);
      }
    }
    return jar;
  }

  /** MODULE/target/classes. */
  private static String module(Path classes) {
    return classes.getName(classes.getNameCount() - 3).toString();
  }

  private static void pack(Path classes, Path jar) throws IOException {
    ToolProvider tool =
        ToolProvider.findFirst("jar").orElseThrow(() -> new IOException("no tool named jar"));
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    if (tool.run(out, out, "-c", "-0", "-f", jar.toString(), "-C", classes.toString(), ".") != 0) {
      throw new IOException("jar of " + classes + ": " + said);
    }
  }

  private static String state(Path entry) throws IOException {
    StringBuilder state = new StringBuilder();
    for (Path file : files(entry)) {
      state
          .append(file)
          .append('\t')
          .append(Files.size(file))
          .append('\t')
          .append(Files.getLastModifiedTime(file))
          .append('\n');
    }
    return state.toString();
  }

  private static FileTime lastChange(Path classes) throws IOException {
    FileTime last = FileTime.fromMillis(0);
    for (Path file : files(classes)) {
      FileTime time = Files.getLastModifiedTime(file);
      last = time.compareTo(last) > 0 ? time : last;
    }
    return last;
  }

  private static List<Path> files(Path entry) throws IOException {
    try (Stream<Path> all = Files.walk(entry)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

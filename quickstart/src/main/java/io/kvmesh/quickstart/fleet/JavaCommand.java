package io.kvmesh.quickstart.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java command line on the JDK that runs this program. */
final class JavaCommand {

  /** Of every JVM here. */
  static final List<String> OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          // Several programs start at once: with the quick compiler alone that takes half the time.
          "-XX:TieredStopAtLevel=1",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private final List<String> words;

  /**
   * @param heapMegabytes the most that its heap takes
   */
  JavaCommand(JavaClasses classes, String mainClass, int heapMegabytes) {
    words = jvm();
    words.add("-Xmx" + heapMegabytes + "m");
    words.addAll(classes.options());
    words.add("-cp");
    words.add(classes.path());
    words.add(mainClass);
  }

  /** How each begins; one more list for each call. */
  static List<String> jvm() {
    List<String> jvm = new ArrayList<>();
    jvm.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    jvm.addAll(OPTIONS);
    return jvm;
  }

  JavaCommand option(String name, Object value) {
    words.add(name);
    words.add(value.toString());
    return this;
  }

  /** A setting of a Spring Boot program. */
  JavaCommand setting(String name, Object value) {
    words.add("--" + name + "=" + value);
    return this;
  }

  /** Settings as words, --name=value; they take the place of those with the same name. */
  JavaCommand settings(List<String> settings) {
    for (String setting : settings) {
      // Spring would make a list of both.
      String name = setting.substring(0, setting.indexOf('=') + 1);
      words.removeIf(word -> word.startsWith(name));
      words.add(setting);
    }
    return this;
  }

  List<String> words() {
    return List.copyOf(words);
  }
}

package io.kvmesh.quickstart.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java command line on the JDK that runs this program. */
final class JavaCommand {

  private final List<String> words = new ArrayList<>();

  /**
   * @param heapMegabytes the most that its heap takes
   */
  JavaCommand(String classPath, String mainClass, int heapMegabytes) {
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("-Xmx" + heapMegabytes + "m");
    words.add("-XX:+UseSerialGC");
    // Several programs start at once: with the quick compiler alone that takes half the time.
    words.add("-XX:TieredStopAtLevel=1");
    words.add("-XX:+ExitOnOutOfMemoryError");
    words.add("--enable-native-access=ALL-UNNAMED");
    words.add("--sun-misc-unsafe-memory-access=allow");
    words.add("-cp");
    words.add(classPath);
    words.add(mainClass);
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

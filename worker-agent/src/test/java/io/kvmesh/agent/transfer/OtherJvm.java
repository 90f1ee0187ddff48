package io.kvmesh.agent.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a main class printed that ran in a JVM of its own, with the class path of this one: figures,
 * a line each, as name=number.
 */
record OtherJvm(String printed) {

  /** Runs it to its end, which must be a good one. */
  static OtherJvm run(Class<?> main, String argument, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            argument));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var ended = new OtherJvm(new String(process.getInputStream().readAllBytes(), UTF_8));
    assertThat(process.waitFor()).as(ended.printed).isZero();
    return ended;
  }

  long figure(String name) {
    return printed
        .lines()
        .filter(line -> line.startsWith(name + "="))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in: " + printed));
  }
}

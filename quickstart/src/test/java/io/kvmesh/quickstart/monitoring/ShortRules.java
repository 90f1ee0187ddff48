package io.kvmesh.quickstart.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The shipped alerts with all times cut short, so that nobody waits half an hour for one. */
final class ShortRules {

  private static final Pattern FOR = Pattern.compile("(?m)^(\\s*for: )\\d+[smhd]$");
  private static final Pattern WINDOW = Pattern.compile("\\[\\d+[smhd]]");

  private ShortRules() {}

  /** Writes them to a file below {@code folder}. */
  static Path write(Path folder) throws IOException {
    return Files.writeString(folder.resolve("rules.yml"), cut(Files.readString(Alerts.RULES)));
  }

  /** After a second instead of minutes, over seconds instead of hours. */
  static String cut(String rules) {
    return WINDOW.matcher(FOR.matcher(rules).replaceAll("$11s")).replaceAll("[5s]");
  }
}

package io.kvmesh.cli;

import tools.jackson.databind.JsonNode;

/** Values as people read them. */
final class Text {

  private Text() {}

  /** A time in milliseconds, negative of a clock that is behind; or nothing. */
  static String age(JsonNode millis) {
    if (!millis.isNumber()) {
      return "-";
    }
    long value = millis.asLong();
    return Math.abs(value) < 10_000 ? value + " ms" : value / 1000 + " s";
  }

  /** The words in lower case, as in a sentence. */
  static String words(String constant) {
    return constant.toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }

  /** So many of what a noun names that takes an s. */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}

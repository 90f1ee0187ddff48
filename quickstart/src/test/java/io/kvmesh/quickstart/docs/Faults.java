package io.kvmesh.quickstart.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.quickstart.docs.Document.Line;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is named in the documents and isn't there, each with its place and what is like it. */
final class Faults {

  private final List<String> all = new ArrayList<>();

  /** Notes that there is no such thing. */
  void unknown(Document document, Line line, String what, String name, Collection<String> known) {
    String like =
        known.stream()
            .max(Comparator.comparingDouble(it -> likeness(it, name)))
            .map(it -> ", most like " + it)
            .orElse("");
    add(document, line, "there is no " + what + " '" + name + "'" + like);
  }

  void add(Document document, Line line, String text) {
    all.add(document.file() + ":" + line.number() + ": " + text);
  }

  List<String> all() {
    return all;
  }

  void requireNone() {
    assertThat(all).isEmpty();
  }

  /** Share of the pairs of letters that both have, from 0 to 1. */
  private static double likeness(String one, String other) {
    Set<String> pairs = pairs(one);
    Set<String> common = pairs(other);
    int sum = pairs.size() + common.size();
    common.retainAll(pairs);
    return 2.0 * common.size() / Math.max(1, sum);
  }

  private static Set<String> pairs(String text) {
    Set<String> pairs = new HashSet<>();
    for (int i = 0; i + 1 < text.length(); i++) {
      pairs.add(text.substring(i, i + 2));
    }
    return pairs;
  }
}

package io.kvmesh.controller.lookup;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A prefix as one worker holds it: where each of its chunks is. One thread. */
final class WeighedPrefix {

  static final WeighedPrefix NONE = new WeighedPrefix();

  private final List<Run> runs = new ArrayList<>(1);
  private int length;

  /** Chunks next to each other at one location. */
  private record Run(String location, int chunks) {}

  /** A prefix that is at one location. */
  static WeighedPrefix of(String location, int chunks) {
    WeighedPrefix prefix = new WeighedPrefix();
    prefix.add(location, chunks);
    return prefix;
  }

  void add(String location, int chunks) {
    Run last = runs.isEmpty() ? null : runs.getLast();
    if (last != null && last.location.equals(location)) {
      runs.set(runs.size() - 1, new Run(location, last.chunks + chunks));
    } else {
      runs.add(new Run(location, chunks));
    }
    length += chunks;
  }

  /** Number of chunks without a gap from the first. */
  int length() {
    return length;
  }

  /** Weights of the first chunks, summed. */
  double weight(int first, LocationWeights weights) {
    double sum = 0;
    int left = first;
    for (Run run : runs) {
      int taken = Math.min(left, run.chunks);
      sum += taken * weights.of(run.location);
      left -= taken;
    }
    return sum;
  }

  /** Number of its chunks at each location. */
  Map<String, Integer> byLocation() {
    Map<String, Integer> chunks = new LinkedHashMap<>();
    runs.forEach(run -> chunks.merge(run.location, run.chunks, Integer::sum));
    return chunks;
  }
}

package io.kvmesh.controller.index;

import it.unimi.dsi.fastutil.objects.Reference2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Follows the holders of a first chunk along the chunks after it. */
final class PrefixWalk {

  private final List<Holding> started = new ArrayList<>();
  private final Reference2IntOpenHashMap<Holding> lengths = new Reference2IntOpenHashMap<>();
  private int length = 1;
  private int survivors;

  /** The holding has the first chunk. */
  void start(Holding holding) {
    started.add(holding);
    lengths.put(holding, 1);
    survivors++;
  }

  /** The holdings have the next chunk. */
  void step(Holdings holders) {
    survivors = 0;
    for (int i = 0; i < holders.size(); i++) {
      if (lengths.getInt(holders.get(i)) == length) {
        lengths.put(holders.get(i), length + 1);
        survivors++;
      }
    }
    length++;
  }

  /** Number of holdings that have every chunk so far. */
  int survivors() {
    return survivors;
  }

  /** The only one that has every chunk so far; null if there is none or there are more. */
  @Nullable Holding lastSurvivor() {
    if (survivors != 1) {
      return null;
    }
    return started.stream().filter(h -> lengths.getInt(h) == length).findAny().orElse(null);
  }

  /** The holding has as many chunks in all. */
  void finish(Holding holding, int total) {
    lengths.put(holding, total);
  }

  /** All that were started, longest first. */
  List<PrefixMatch> matches() {
    return started.stream()
        .map(h -> new PrefixMatch(h.placement.worker(), h.placement.location(), lengths.getInt(h)))
        .sorted(Comparator.comparingInt(PrefixMatch::length).reversed())
        .toList();
  }
}

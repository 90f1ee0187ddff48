package io.kvmesh.agent.config;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Which NUMA node each GPU is at: {@code 0:0,1:0,2:1,3:1}. */
record GpuNodes(Map<Integer, Integer> nodes) {

  private static final Pattern FORM = Pattern.compile("\\d{1,4}:\\d{1,4}(,\\d{1,4}:\\d{1,4})*");

  /** Empty where the text has another form, or names a GPU twice. */
  static Optional<GpuNodes> parse(String text) {
    String compact = text.replace(" ", "");
    if (!FORM.matcher(compact).matches()) {
      return Optional.empty();
    }
    Map<Integer, Integer> nodes = new HashMap<>();
    for (String pair : compact.split(",", -1)) {
      int colon = pair.indexOf(':');
      Integer gpu = Integer.valueOf(pair.substring(0, colon));
      if (nodes.put(gpu, Integer.valueOf(pair.substring(colon + 1))) != null) {
        return Optional.empty();
      }
    }
    return Optional.of(new GpuNodes(Map.copyOf(nodes)));
  }

  OptionalInt nodeOf(int gpu) {
    Integer node = nodes.get(gpu);
    return node == null ? OptionalInt.empty() : OptionalInt.of(node);
  }
}

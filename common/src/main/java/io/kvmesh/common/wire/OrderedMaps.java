package io.kvmesh.common.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Unmodifiable copies of maps that keep their order, which is part of a message. */
public final class OrderedMaps {

  private OrderedMaps() {}

  /** A copy in the same order; values may be null where V allows it. */
  public static <K, V> Map<K, V> copyOf(Map<K, V> map) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}

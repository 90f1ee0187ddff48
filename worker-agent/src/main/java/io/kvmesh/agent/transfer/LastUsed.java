package io.kvmesh.agent.transfer;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map of at most so many entries: the one that was longest not used gives way. One thread. */
final class LastUsed<K, V> extends LinkedHashMap<K, V> {

  private static final long serialVersionUID = 1L;

  private final int most;

  LastUsed(int most) {
    super(16, 0.75f, true);
    this.most = most;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
    return size() > most;
  }
}

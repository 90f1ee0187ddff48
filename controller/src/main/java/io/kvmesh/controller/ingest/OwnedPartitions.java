package io.kvmesh.controller.ingest;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The partitions for which this controller is the group's member. Any thread. */
final class OwnedPartitions {

  private final Set<Integer> owned = ConcurrentHashMap.newKeySet();

  void add(Collection<Integer> partitions) {
    owned.addAll(partitions);
  }

  void remove(Collection<Integer> partitions) {
    owned.removeAll(partitions);
  }

  boolean contains(int partition) {
    return owned.contains(partition);
  }

  Set<Integer> all() {
    return Set.copyOf(owned);
  }
}

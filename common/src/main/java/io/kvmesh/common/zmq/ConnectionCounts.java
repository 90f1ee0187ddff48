package io.kvmesh.common.zmq;

import io.kvmesh.common.count.Counters;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections of all listening sockets of a process. Any thread. */
final class ConnectionCounts {

  private final AtomicInteger open = new AtomicInteger();
  private final Counters<ConnectionCut> cuts = new Counters<>(ConnectionCut.class);

  void opened() {
    open.incrementAndGet();
  }

  void closed() {
    open.decrementAndGet();
  }

  void cut(ConnectionCut why) {
    cuts.count(why);
  }

  int open() {
    return open.get();
  }

  long cuts(ConnectionCut why) {
    return cuts.get(why);
  }

  Map<ConnectionCut, Long> cuts() {
    Map<ConnectionCut, Long> all = new EnumMap<>(ConnectionCut.class);
    for (ConnectionCut why : ConnectionCut.values()) {
      all.put(why, cuts.get(why));
    }
    return all;
  }
}

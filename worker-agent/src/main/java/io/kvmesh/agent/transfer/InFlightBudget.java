package io.kvmesh.agent.transfer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Bytes asked of peers and not yet taken in: bounded for each peer and in all. Any thread. */
final class InFlightBudget {

  private final long perPeerBytes;
  private final ByteBudget total;
  private final Map<String, ByteBudget> byPeer = new ConcurrentHashMap<>();

  InFlightBudget(long perPeerBytes, long totalBytes) {
    this.perPeerBytes = perPeerBytes;
    this.total = new ByteBudget(totalBytes);
  }

  boolean tryTake(String peer, long bytes) {
    ByteBudget own = of(peer);
    if (!own.tryTake(bytes)) {
      return false;
    }
    if (total.tryTake(bytes)) {
      return true;
    }
    own.giveBack(bytes);
    return false;
  }

  boolean take(String peer, long bytes, Deadline deadline) throws InterruptedException {
    ByteBudget own = of(peer);
    if (!own.take(bytes, deadline)) {
      return false;
    }
    boolean both = false;
    try {
      both = total.take(bytes, deadline);
      return both;
    } finally {
      if (!both) {
        own.giveBack(bytes);
      }
    }
  }

  void giveBack(String peer, long bytes) {
    total.giveBack(bytes);
    of(peer).giveBack(bytes);
  }

  /** Bytes under way. */
  long taken() {
    return total.taken();
  }

  /** Forgets a peer that nothing is asked of; does nothing otherwise. */
  void forget(String peer) {
    byPeer.computeIfPresent(peer, (unused, own) -> own.taken() == 0 ? null : own);
  }

  private ByteBudget of(String peer) {
    return byPeer.computeIfAbsent(peer, unused -> new ByteBudget(perPeerBytes));
  }
}

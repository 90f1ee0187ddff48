package io.kvmesh.agent.transfer;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Bytes asked of peers and not yet taken in: bounded for each peer and in all. Any thread. */
final class InFlightBudget {

  /** What a peer may have; there is one while somebody has or wants a part of it. */
  private static final class Share {
    private final ByteBudget bytes;
    private int users;

    private Share(long bytes) {
      this.bytes = new ByteBudget(bytes);
    }
  }

  private final long perPeerBytes;
  private final ByteBudget total;

  /** The number of a share's users changes within the map's own operations alone. */
  private final Map<String, Share> byPeer = new ConcurrentHashMap<>();

  InFlightBudget(long perPeerBytes, long totalBytes) {
    this.perPeerBytes = perPeerBytes;
    this.total = new ByteBudget(totalBytes);
  }

  /** Takes bytes if they are free now and nobody waits for them. */
  boolean tryTake(String peer, long bytes) throws InterruptedException {
    return take(peer, bytes, () -> 0);
  }

  /** Waits for bytes; nothing is taken if false. */
  boolean take(String peer, long bytes, Deadline deadline) throws InterruptedException {
    return take(peer, bytes, deadline::remainingNanos);
  }

  private boolean take(String peer, long bytes, LongSupplier leftNanos)
      throws InterruptedException {
    Share own = begin(peer);
    boolean ofOwn = false;
    boolean both = false;
    try {
      ofOwn = own.bytes.take(bytes, leftNanos.getAsLong());
      both = ofOwn && total.take(bytes, leftNanos.getAsLong());
      return both;
    } finally {
      if (!both) {
        end(peer, ofOwn ? bytes : 0);
      }
    }
  }

  /** Gives back what was taken. */
  void giveBack(String peer, long bytes) {
    total.giveBack(bytes);
    end(peer, bytes);
  }

  /** Bytes under way. */
  long taken() {
    return total.taken();
  }

  /** Peers of which something is asked now. */
  int peers() {
    return byPeer.size();
  }

  private Share begin(String peer) {
    return Objects.requireNonNull(
        byPeer.compute(
            peer,
            (unused, present) -> {
              Share share = present == null ? new Share(perPeerBytes) : present;
              share.users++;
              return share;
            }));
  }

  private void end(String peer, long bytes) {
    byPeer.computeIfPresent(
        peer,
        (unused, share) -> {
          if (bytes > 0) {
            share.bytes.giveBack(bytes);
          }
          share.users--;
          return share.users == 0 ? null : share;
        });
  }
}

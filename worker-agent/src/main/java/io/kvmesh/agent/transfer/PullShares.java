package io.kvmesh.agent.transfer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Which peer is asked for which of the wanted chunks. One thread.
 *
 * <p>In key order. A peer that is alone is asked for as much as one request may have, again and
 * again. Several get shares of what is left in proportion to their speeds, half of it at a time and
 * at most two requests each under way, so that shares shrink towards the end and a peer that turns
 * out slow is given less, or nothing where the others are done before it would be. A peer whose
 * speed isn't known counts as fast as the fastest. One whose connection failed waits until the
 * others have failed as often.
 */
final class PullShares {

  private static final int MOST_REQUESTS = 2;

  /** Less isn't worth a request of its own. */
  private static final long LEAST_BYTES = 1 << 20;

  /** The wanted chunks from {@code from} on, before {@code to}, of one peer. */
  record Share(PullHolder holder, int from, int to, long bytes) {}

  private final List<PullHolder> holders;
  private final int pageBytes;
  private final int mostHolders;
  private final int leastChunks;
  private final PeerSpeeds speeds;

  /** What must be asked for: the ends of ranges by their beginnings. */
  private final TreeMap<Integer, Integer> missing = new TreeMap<>();

  private int end;

  /**
   * @param holders best first
   * @param wanted number of chunks
   */
  PullShares(
      List<PullHolder> holders, int wanted, int pageBytes, PullLimits limits, PeerSpeeds speeds) {
    this.holders = holders;
    this.pageBytes = pageBytes;
    this.mostHolders = limits.maxHolders();
    this.leastChunks = Math.clamp(LEAST_BYTES / pageBytes, 1, limits.chunksAtOnce(pageBytes));
    this.speeds = speeds;
    this.end = wanted;
    if (wanted > 0) {
      missing.put(0, wanted);
    }
  }

  /** The wanted chunks before this one may still be had. */
  int end() {
    return end;
  }

  /** Nothing is to be had from this wanted chunk on. */
  void endAt(int which) {
    end = Math.min(end, which);
    missing.tailMap(end, true).clear();
    Map.Entry<Integer, Integer> last = missing.lastEntry();
    if (last != null && last.getValue() > end) {
      missing.put(last.getKey(), end);
    }
  }

  /** Whether there is something to be asked for. */
  boolean hasMore() {
    return !missing.isEmpty();
  }

  /** These chunks didn't come. */
  void putBack(int from, int to) {
    if (from < Math.min(to, end)) {
      missing.put(from, Math.min(to, end));
    }
  }

  /** Whether somebody else could be asked for this wanted chunk. */
  boolean hasOther(PullHolder than, int which) {
    return holders.stream().anyMatch(it -> !it.equals(than) && it.reaches(which));
  }

  /**
   * Who may be asked next, and for what, the best first; none if all are busy, or nobody is left.
   */
  List<Share> next() {
    int from = missing.firstKey();
    List<PullHolder> able = able(from);
    if (able.isEmpty()) {
      endAt(from);
      return List.of();
    }
    double sum = able.stream().mapToDouble(it -> speed(it, able)).sum();
    List<Share> shares = new ArrayList<>();
    for (PullHolder holder : able) {
      if (able.size() == 1) {
        shares.add(share(holder, from, holder.mostChunks()));
      } else if (holder.requests() < MOST_REQUESTS) {
        double half = left() * speed(holder, able) / sum / 2;
        shares.add(
            share(
                holder,
                from,
                Math.clamp((long) Math.ceil(half), leastChunks, holder.mostChunks())));
      }
    }
    shares.removeIf(it -> isLate(it, able));
    shares.sort(Comparator.comparingDouble(it -> seconds(it.holder(), it.bytes(), able)));
    return shares;
  }

  /** Those that have the chunk and failed least. */
  private List<PullHolder> able(int which) {
    List<PullHolder> reaching = holders.stream().filter(it -> it.reaches(which)).toList();
    int fewest = reaching.stream().mapToInt(PullHolder::faults).min().orElse(0);
    return reaching.stream().filter(it -> it.faults() == fewest).limit(mostHolders).toList();
  }

  /** Whether one of the others could deliver all that is left before this one its share. */
  private boolean isLate(Share share, List<PullHolder> able) {
    long left = (long) left() * pageBytes;
    double done = seconds(share.holder(), share.bytes(), able);
    return able.stream().anyMatch(other -> seconds(other, left, able) < done);
  }

  /** How long it takes a peer to deliver what it was asked for and so much more. */
  private double seconds(PullHolder holder, long moreBytes, List<PullHolder> among) {
    return (holder.bytes() + moreBytes) / speed(holder, among);
  }

  private Share share(PullHolder holder, int from, int chunks) {
    int to = Math.min(from + chunks, Math.min(missing.firstEntry().getValue(), holder.reach()));
    return new Share(holder, from, to, (long) (to - from) * pageBytes);
  }

  private int left() {
    return missing.entrySet().stream().mapToInt(it -> it.getValue() - it.getKey()).sum();
  }

  private double speed(PullHolder holder, List<PullHolder> among) {
    OptionalDouble own = speeds.of(holder.address());
    return own.isPresent()
        ? own.getAsDouble()
        : among.stream()
            .map(it -> speeds.of(it.address()))
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .max()
            .orElse(1);
  }

  /** The share is asked for. */
  void take(Share share) {
    Integer rangeEnd = missing.remove(share.from());
    if (rangeEnd != null && share.to() < rangeEnd) {
      missing.put(share.to(), rangeEnd);
    }
  }
}

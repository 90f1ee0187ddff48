package io.kvmesh.agent.transfer;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which channel each peer's chunks come over, and what came over each. Any thread. */
public final class ChannelTraffic {

  /**
   * One channel's figures.
   *
   * @param connections that have agreed on it, now
   * @param deliveries replies with chunks
   * @param bytes of those chunks
   */
  public record Figures(int connections, long deliveries, long bytes) {}

  private static final class Tally {
    private final LongAdder deliveries = new LongAdder();
    private final LongAdder bytes = new LongAdder();
  }

  private final Map<String, Tally> byChannel =
      Channels.ALL.stream().collect(Collectors.toUnmodifiableMap(it -> it, it -> new Tally()));

  /** Of each peer that there is a connection to. */
  private final Map<String, String> byPeer = new ConcurrentHashMap<>();

  private volatile @Nullable String lastFallback;

  void opened(String peer, String channel) {
    byPeer.put(peer, channel);
  }

  void closed(String peer) {
    byPeer.remove(peer);
  }

  /** Whether this peer's chunks are read out of its memory; no if there is no connection to it. */
  boolean readsMemoryOf(String peer) {
    return Channels.SHM.equals(byPeer.get(peer));
  }

  void delivered(String channel, long bytes) {
    of(channel).deliveries.increment();
    of(channel).bytes.add(bytes);
  }

  /** A channel that was agreed on could not be opened. */
  void fellBack(String reason) {
    lastFallback = reason;
  }

  /** Why a channel that was agreed on could not be opened, the last time; null if never. */
  public @Nullable String lastFallback() {
    return lastFallback;
  }

  /** Of one of {@link Channels#ALL}. */
  public Figures figures(String channel) {
    Tally tally = of(channel);
    int connections = Collections.frequency(byPeer.values(), channel);
    return new Figures(connections, tally.deliveries.sum(), tally.bytes.sum());
  }

  /** Of all, by name. */
  public Map<String, Figures> figures() {
    return byChannel.keySet().stream()
        .collect(Collectors.toMap(it -> it, this::figures, (one, other) -> one, TreeMap::new));
  }

  private Tally of(String channel) {
    Tally tally = byChannel.get(channel);
    if (tally == null) {
      throw new IllegalArgumentException(
          "The channels are %s, got '%s'".formatted(Channels.ALL, channel));
    }
    return tally;
  }
}

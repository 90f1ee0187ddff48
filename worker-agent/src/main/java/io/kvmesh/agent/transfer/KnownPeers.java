package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.CompressionMethod;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Peers that have shaken hands, by the address they introduced themselves with. Bounded: the one
 * that was longest not seen is forgotten, and shakes hands again. One thread.
 */
final class KnownPeers {

  /**
   * What was agreed.
   *
   * @param epoch the peer's life
   * @param channel how it gets bytes
   * @param compression methods whose chunks it takes as they lie
   */
  record Terms(long epoch, String channel, Set<CompressionMethod> compression) {

    /** Whether it reads this agent's memory by itself. */
    boolean readsMemory() {
      return channel.equals(Channels.SHM);
    }

    /** Whether it says when it has read a loan. */
    boolean saysDone() {
      return !channel.equals(Channels.ZMQ_COPY);
    }
  }

  private final LocalPeer self;
  private final Map<String, Terms> byAddress;

  KnownPeers(LocalPeer self, int most) {
    this.self = self;
    this.byAddress = new LastUsed<>(most);
  }

  void put(String address, Terms terms) {
    byAddress.put(address, terms);
  }

  @Nullable Terms get(String address) {
    return byAddress.get(address);
  }

  /**
   * Why a message isn't of the two lives that have shaken hands; null if it is.
   *
   * @param address that its sender introduced itself with
   * @param epoch of the sender as it says; null = it doesn't say
   * @param ownerEpoch of this worker as the sender knows it; null = it doesn't say
   */
  @Nullable String whyUnknown(String address, @Nullable Long epoch, @Nullable Long ownerEpoch) {
    Terms terms = get(address);
    if (terms == null) {
      return "no handshake of " + address;
    }
    if (epoch != null && epoch != terms.epoch()) {
      return "the handshake was that of epoch " + terms.epoch();
    }
    long own = self.epoch().getAsLong();
    return ownerEpoch != null && ownerEpoch != own ? "this worker's epoch is " + own : null;
  }
}

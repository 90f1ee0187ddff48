package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.agent.memory.ArenaException;
import io.kvmesh.agent.memory.ArenaIdentity;
import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.handshake.HandshakeReply;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.handshake.SealTerms;
import io.kvmesh.common.wire.handshake.SharedMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is said at a peer's init port, in order: who we are and how bytes may come, where to ask. A
 * channel that was agreed on and can't be opened is given up, and the next is asked for. One
 * thread. Closing it closes the channel, unless the last step handed that over.
 */
final class PeerHandshake implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PeerHandshake.class);

  /** What the peer's answer leads to. */
  sealed interface Step {
    /** Ask this next. */
    record Ask(Message next) implements Step {}

    /**
     * It is agreed: ask at this address for chunks of this life of the owner.
     *
     * @param channel which passes to whoever takes the step
     * @param seal of what is said there; null = it isn't sealed
     */
    record Agreed(
        String lookupAddress, long epoch, TransferChannel channel, @Nullable FrameSeal seal)
        implements Step {}

    /** There is nothing to be had. */
    record Refused(String reason) implements Step {}
  }

  private final MessageCodec codec;
  private final LocalPeer self;
  private final String ownAddress;
  private final ChannelTraffic traffic;
  private final Counters<PullCount> counters;

  /** Channels that can still be had, best first. */
  private final List<String> wanted;

  private final boolean sealed;
  private @Nullable TransferChannel channel;
  private @Nullable FrameSeal seal;
  private long ownerEpoch;

  /**
   * @param sealed whether nothing may be said at the lookup port that isn't sealed
   */
  PeerHandshake(
      MessageCodec codec,
      LocalPeer self,
      String ownAddress,
      ChannelTraffic traffic,
      Counters<PullCount> counters,
      boolean sealed) {
    this.sealed = sealed;
    this.codec = codec;
    this.self = self;
    this.ownAddress = ownAddress;
    this.traffic = traffic;
    this.counters = counters;
    this.wanted = new ArrayList<>(self.channels().preferred());
  }

  /** The first thing to say. */
  Message introduction() {
    return new KvmeshInitRequest(
        Formats.CURRENT,
        ownAddress,
        self.id().instanceId(),
        self.id().rank(),
        self.epoch().getAsLong(),
        self.pageBytes(),
        self.chunkTokens(),
        wanted,
        CompressionMethod.usable().stream().map(CompressionMethod::text).toList());
  }

  /**
   * Takes an answer.
   *
   * @throws WireFormatException if it is none
   */
  Step answered(byte[] payload) throws WireFormatException {
    return switch (codec.decode(HandshakeReply.class, payload)) {
      case KvmeshInitResponse response when channel == null -> introduced(response);
      case P2PInitSideRetMsg side when channel != null -> agreed(channel, side.peerLookupUrl());
      case HandshakeReply other ->
          new Step.Refused("answers with " + other.getClass().getSimpleName());
    };
  }

  private Step introduced(KvmeshInitResponse response) {
    String refusal = response.refusal();
    if (refusal != null) {
      return new Step.Refused("refuses: " + refusal);
    }
    if (!wanted.contains(response.channel())) {
      return new Step.Refused("agrees to the channel '" + response.channel() + "'");
    }
    if (response.pageBytes() != self.pageBytes()) {
      return new Step.Refused("has pages of " + response.pageBytes() + " bytes");
    }
    SealTerms terms = response.seal();
    if (sealed == (terms == null)) {
      return new Step.Refused(sealed ? "seals nothing" : "seals what it says");
    }
    ownerEpoch = response.epoch();
    seal = terms == null ? null : FrameSeal.ofRequester(terms);
    try {
      channel =
          response.channel().equals(Channels.SHM)
              ? new ShmChannel(map(response), counters)
              : new ZmqChannel(contentOf(seal), counters);
      return new Step.Ask(new P2PInitSideMsg());
    } catch (ArenaException | IllegalArgumentException unusable) {
      return fallBack(response.channel(), String.valueOf(unusable.getMessage()));
    }
  }

  private static Supplier<FrameContent> contentOf(@Nullable FrameSeal seal) {
    return seal == null ? () -> FrameContent.PLAIN : () -> new SealedContent(seal.newOpener());
  }

  private MappedArena map(KvmeshInitResponse response) {
    SharedMemory memory = response.sharedMemory();
    if (memory == null) {
      throw new IllegalArgumentException("it isn't told where its memory is");
    }
    Path directory = self.channels().directory().orElseThrow();
    UUID id = UUID.fromString(memory.id());
    return MappedArena.map(
        directory, new ArenaIdentity(memory.file(), memory.bytes(), id), response.epoch());
  }

  private Step fallBack(String from, String reason) {
    counters.count(PullCount.CHANNEL_FALLBACK);
    traffic.fellBack(reason);
    LOG.info("The channel {} can't be used: {}", from, reason);
    wanted.remove(from);
    return wanted.isEmpty()
        ? new Step.Refused("no channel is left: " + reason)
        : new Step.Ask(introduction());
  }

  private Step agreed(TransferChannel with, String lookupAddress) {
    channel = null;
    return new Step.Agreed(lookupAddress, ownerEpoch, with, seal);
  }

  @Override
  public void close() {
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }
}

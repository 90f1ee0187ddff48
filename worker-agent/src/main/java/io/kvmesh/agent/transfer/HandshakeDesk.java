package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.agent.memory.ArenaIdentity;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.handshake.HandshakeRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.MooncakeInitRequest;
import io.kvmesh.common.wire.handshake.NixlInitRequest;
import io.kvmesh.common.wire.handshake.NixlMemRegRequest;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import io.kvmesh.common.wire.handshake.PySocketInitRequest;
import io.kvmesh.common.wire.handshake.SealTerms;
import io.kvmesh.common.wire.handshake.SharedMemory;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers at the init port: who are you, what can you do, where do I ask. One thread. */
final class HandshakeDesk {

  private final LocalPeer self;
  private final KnownPeers peers;
  private final Counters<ServerCount> counters;
  private final String lookupAddress;
  private final @Nullable SealedSessions sessions;

  /**
   * @param sessions who is told a key for what is said at the lookup port; null = it isn't sealed
   */
  HandshakeDesk(
      LocalPeer self,
      KnownPeers peers,
      Counters<ServerCount> counters,
      String lookupAddress,
      @Nullable SealedSessions sessions) {
    this.self = self;
    this.peers = peers;
    this.counters = counters;
    this.lookupAddress = lookupAddress;
    this.sessions = sessions;
  }

  Message answer(HandshakeRequest request) {
    return switch (request) {
      case KvmeshInitRequest ours -> introduce(ours);
      case P2PInitSideMsg side -> new P2PInitSideRetMsg(lookupAddress);
      case PySocketInitRequest foreign -> noSuchChannel("py_socket");
      case NixlInitRequest foreign -> noSuchChannel("nixl");
      case NixlMemRegRequest foreign -> noSuchChannel("nixl");
      case MooncakeInitRequest foreign -> noSuchChannel("mooncake");
    };
  }

  private KvmeshInitResponse introduce(KvmeshInitRequest request) {
    Optional<String> channel = self.channels().agree(request.channels());
    String refusal = refusal(request, channel);
    if (refusal != null) {
      return refuse(refusal);
    }
    counters.count(ServerCount.HANDSHAKE);
    String agreed = channel.orElseThrow();
    peers.put(
        request.peerInitUrl(),
        new KnownPeers.Terms(request.epoch(), agreed, compression(request, agreed)));
    return response(agreed, null);
  }

  /** Of methods that aren't known here nothing is compressed. */
  private static Set<CompressionMethod> compression(KvmeshInitRequest request, String channel) {
    Set<CompressionMethod> taken = EnumSet.noneOf(CompressionMethod.class);
    List<String> told = request.compression();
    if (told != null && channel.equals(Channels.ZMQ)) {
      told.forEach(name -> CompressionMethod.named(name).ifPresent(taken::add));
    }
    return taken;
  }

  /** Refuses an introduction, in the words of the rule that it breaks. */
  KvmeshInitResponse refuse(String rule) {
    counters.count(ServerCount.HANDSHAKE_REFUSED);
    return response("", rule);
  }

  private @Nullable String refusal(KvmeshInitRequest request, Optional<String> channel) {
    if (!self.offers()) {
      return self.fenced().getAsBoolean()
          ? "a later life of this worker was seen"
          : "the epoch of this worker isn't known yet";
    }
    if (request.pageBytes() != self.pageBytes() || request.chunkTokens() != self.chunkTokens()) {
      return "a full chunk here has %d bytes and %d tokens, there %d and %d"
          .formatted(
              self.pageBytes(), self.chunkTokens(), request.pageBytes(), request.chunkTokens());
    }
    if (request.peerInitUrl().isEmpty()) {
      return "the address of the receiver is empty";
    }
    return channel.isPresent() ? null : "none of the channels " + request.channels() + " is served";
  }

  private KvmeshInitResponse response(String channel, @Nullable String refusal) {
    long epoch = self.epoch().getAsLong();
    SharedMemory memory = channel.equals(Channels.SHM) ? sharedMemory(epoch) : null;
    SealTerms seal = refusal == null && sessions != null ? sessions.begin() : null;
    return new KvmeshInitResponse(
        Formats.CURRENT, epoch, self.pageBytes(), channel, refusal, memory, seal);
  }

  private SharedMemory sharedMemory(long epoch) {
    PageArena arena = self.channels().arena().orElseThrow();
    arena.tellEpoch(epoch);
    ArenaIdentity identity = arena.identity().orElseThrow();
    return new SharedMemory(identity.fileName(), identity.arenaBytes(), identity.id().toString());
  }

  private P2PErrorMsg noSuchChannel(String name) {
    counters.count(ServerCount.HANDSHAKE_REFUSED);
    return new P2PErrorMsg(P2PErrorMsg.UNKNOWN_MESSAGE, "the channel " + name + " isn't served");
  }
}

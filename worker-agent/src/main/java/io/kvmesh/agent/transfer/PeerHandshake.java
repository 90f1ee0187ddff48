package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.handshake.HandshakeReply;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.handshake.P2PInitSideMsg;
import io.kvmesh.common.wire.handshake.P2PInitSideRetMsg;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is said at a peer's init port, in order: who we are, then where to ask. One thread. */
final class PeerHandshake {

  /** What the peer's answer leads to. */
  sealed interface Step {
    /** Ask this next. */
    record Ask(Message next) implements Step {}

    /** It is agreed: ask at this address for chunks of this life of the owner. */
    record Agreed(String lookupAddress, long epoch, TransferChannel channel) implements Step {}

    /** There is nothing to be had. */
    record Refused(String reason) implements Step {}
  }

  private final MessageCodec codec;
  private final LocalPeer self;
  private final String ownAddress;
  private @Nullable KvmeshInitResponse introduced;

  PeerHandshake(MessageCodec codec, LocalPeer self, String ownAddress) {
    this.codec = codec;
    this.self = self;
    this.ownAddress = ownAddress;
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
        List.of(Channels.ZMQ));
  }

  /**
   * Takes an answer.
   *
   * @throws WireFormatException if it is none
   */
  Step answered(byte[] payload) throws WireFormatException {
    return switch (codec.decode(HandshakeReply.class, payload)) {
      case KvmeshInitResponse response when introduced == null -> introduced(response);
      case P2PInitSideRetMsg side when introduced != null ->
          new Step.Agreed(side.peerLookupUrl(), introduced.epoch(), new ZmqChannel());
      case HandshakeReply other ->
          new Step.Refused("answers with " + other.getClass().getSimpleName());
    };
  }

  private Step introduced(KvmeshInitResponse response) {
    String refusal = response.refusal();
    if (refusal != null) {
      return new Step.Refused("refuses: " + refusal);
    }
    if (!response.channel().equals(Channels.ZMQ)) {
      return new Step.Refused("agrees to the channel '" + response.channel() + "'");
    }
    if (response.pageBytes() != self.pageBytes()) {
      return new Step.Refused("has pages of " + response.pageBytes() + " bytes");
    }
    introduced = response;
    return new Step.Ask(new P2PInitSideMsg());
  }
}

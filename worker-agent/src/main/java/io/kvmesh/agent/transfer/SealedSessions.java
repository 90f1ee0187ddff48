package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.handshake.SealTerms;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.PeerId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The requesters to whom an owner has told a key, and the connections over which each has proved
 * that it has it. Only a frame that was sealed for here, and not seen before, does. Bounded: the
 * session that was longest not used is forgotten. One thread.
 */
final class SealedSessions {

  /** The one thing that is said in the clear: whoever asked may shake hands again. */
  static final P2PErrorMsg UNKNOWN = new P2PErrorMsg(P2PErrorMsg.NOT_INITIALIZED);

  /**
   * A sealed message.
   *
   * @param payload of its first frame
   * @param bodies the frames after it
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Sealed(byte[] payload, List<Frame> bodies) {}

  private static final class Session {
    private final FrameSeal seal;
    private long lastOpened;

    private Session(SealTerms terms) {
      seal = FrameSeal.ofOwner(terms);
    }
  }

  private final SecureRandom random = new SecureRandom();
  private final Map<Long, Session> byId;
  private final Map<PeerId, Session> byConnection = new HashMap<>();

  SealedSessions(int most) {
    this.byId = new LastUsed<>(most);
  }

  /** New terms for a requester, to be told over CURVE. */
  SealTerms begin() {
    byte[] key = new byte[FrameSeal.KEY_BYTES];
    random.nextBytes(key);
    long id;
    do {
      id = FrameSeal.session(random.nextLong());
    } while (byId.containsKey(id));
    SealTerms terms = new SealTerms(id, Bytes.of(key));
    byId.put(id, new Session(terms));
    return terms;
  }

  /**
   * Whether a payload says that it is of a session that isn't known: it was forgotten, or never
   * was.
   */
  boolean isOfUnknownSession(byte[] payload) {
    long session = FrameSeal.sessionOf(payload);
    return session != 0 && !byId.containsKey(session);
  }

  /**
   * Opens a request's payload, and remembers that this connection has the key.
   *
   * @throws BrokenSealException if it isn't sealed for here, or came before
   */
  byte[] open(PeerId connection, OptionalLong requestId, byte[] payload)
      throws BrokenSealException {
    Session session = byId.get(FrameSeal.sessionOf(payload));
    if (session == null || requestId.isEmpty()) {
      throw new BrokenSealException("a message is sealed under a key of this agent");
    }
    byte[] plain = session.seal.open(requestId.getAsLong(), 0, payload);
    long counter = FrameSeal.counterOf(payload);
    if (counter <= session.lastOpened) {
      throw new BrokenSealException(
          "a sealed message comes once, got number %d after %d"
              .formatted(counter, session.lastOpened));
    }
    session.lastOpened = counter;
    byConnection.put(connection, session);
    return plain;
  }

  /** Seals a reply; null if that connection hasn't proved to have a key. */
  @Nullable Sealed seal(
      PeerId connection, OptionalLong requestId, byte[] payload, List<Frame> bodies) {
    Session session = byConnection.get(connection);
    if (session == null || requestId.isEmpty()) {
      return null;
    }
    long id = requestId.getAsLong();
    byte[] sealedPayload = session.seal.seal(id, 0, ByteBuffer.wrap(payload));
    List<Frame> sealed = new ArrayList<>(bodies.size());
    for (Frame body : bodies) {
      sealed.add(Frame.of(session.seal.seal(id, sealed.size() + 1, body.buffer())));
    }
    return new Sealed(sealedPayload, sealed);
  }

  /** The connection is gone. */
  void gone(PeerId connection) {
    byConnection.remove(connection);
  }
}

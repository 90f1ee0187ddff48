package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.handshake.SealTerms;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * One end of a connection to a lookup port whose frames are sealed: AES-128-GCM under a key that
 * was told in a handshake over CURVE. A frame can be opened only at the place that it was sealed
 * for: its session, direction, request and index are authenticated with it.
 *
 * <pre>
 *   [session, 8 bytes] [counter, 8 bytes] [the frame, encrypted] [tag, 16 bytes]
 *   nonce: direction, 4 bytes; counter          authenticated: session, request id, index
 * </pre>
 *
 * Each end gives each frame that it seals a number of its own, one more than that of the frame
 * before it, so no nonce is used twice. One thread; an {@link Opener} may be used by another.
 */
final class FrameSeal {

  /** By how much a sealed frame is longer. */
  static final int OVERHEAD_BYTES = 8 + 8 + 16;

  static final int KEY_BYTES = 16;

  private static final int TO_OWNER = 1;
  private static final int TO_REQUESTER = 2;

  /** A session begins with a byte with which no msgpack begins: no plain payload looks sealed. */
  private static final byte SESSION_MARK = (byte) 0xc1;

  private static final int SESSION_BITS = 56;
  private static final int COUNTER_AT = 8;
  private static final int HEADER_BYTES = 16;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final long session;
  private final SecretKeySpec key;
  private final int sealing;
  private final int opening;
  private final Cipher cipher;
  private final Opener opener;
  private long lastSealed;

  private FrameSeal(SealTerms terms, int sealing, int opening) {
    this.session = terms.session();
    this.key = new SecretKeySpec(terms.key().toArray(), "AES");
    this.sealing = sealing;
    this.opening = opening;
    this.cipher = newCipher();
    this.opener = new Opener();
  }

  /** The end of who has the lookup port. */
  static FrameSeal ofOwner(SealTerms terms) {
    return new FrameSeal(terms, TO_REQUESTER, TO_OWNER);
  }

  /** The end of who asks there. */
  static FrameSeal ofRequester(SealTerms terms) {
    return new FrameSeal(terms, TO_OWNER, TO_REQUESTER);
  }

  /** A session made of random bits; never 0. */
  static long session(long random) {
    return ((long) SESSION_MARK << SESSION_BITS) | (random >>> Byte.SIZE);
  }

  /** The session that a frame says it is of; 0 if it doesn't look like a sealed one. */
  static long sessionOf(byte[] frame) {
    return frame.length < OVERHEAD_BYTES || frame[0] != SESSION_MARK
        ? 0
        : ByteBuffer.wrap(frame).getLong(0);
  }

  /** The number of a frame that is long enough to be sealed. */
  static long counterOf(byte[] sealed) {
    return ByteBuffer.wrap(sealed).getLong(COUNTER_AT);
  }

  long session() {
    return session;
  }

  /**
   * Seals a frame.
   *
   * @param index of the frame in its message, 0 for the payload
   */
  byte[] seal(long requestId, int index, ByteBuffer frame) {
    byte[] sealed = new byte[frame.remaining() + OVERHEAD_BYTES];
    ByteBuffer target = ByteBuffer.wrap(sealed);
    long counter = ++lastSealed;
    target.putLong(session).putLong(counter);
    try {
      init(cipher, Cipher.ENCRYPT_MODE, sealing, counter, requestId, index);
      cipher.doFinal(frame, target);
      return sealed;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Opens a frame.
   *
   * @throws BrokenSealException if it wasn't sealed for this place
   */
  byte[] open(long requestId, int index, byte[] sealed) throws BrokenSealException {
    ByteBuffer plain = ByteBuffer.allocate(Math.max(0, sealed.length - OVERHEAD_BYTES));
    if (!opener.open(requestId, index, ByteBuffer.wrap(sealed), plain)) {
      throw new BrokenSealException("a frame of %d bytes isn't sealed".formatted(sealed.length));
    }
    return plain.array();
  }

  /** Opens frames of this end for one other thread. */
  Opener newOpener() {
    return new Opener();
  }

  /** Opens frames. One thread. */
  final class Opener {

    private final Cipher cipher = newCipher();

    private Opener() {}

    /**
     * Opens a frame into a buffer that has room for exactly its content; answers whether it was
     * sealed for this place. If not, the buffer holds anything.
     */
    boolean open(long requestId, int index, ByteBuffer sealed, ByteBuffer plain) {
      if (sealed.remaining() != plain.remaining() + OVERHEAD_BYTES
          || sealed.getLong(sealed.position()) != session) {
        return false;
      }
      ByteBuffer rest = sealed.slice();
      long counter = rest.getLong(COUNTER_AT);
      rest.position(HEADER_BYTES);
      try {
        init(cipher, Cipher.DECRYPT_MODE, opening, counter, requestId, index);
        cipher.doFinal(rest, plain);
        return true;
      } catch (AEADBadTagException changed) {
        return false;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void init(Cipher with, int mode, int direction, long counter, long requestId, int index)
      throws GeneralSecurityException {
    byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putInt(direction).putLong(counter).array();
    with.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    with.updateAAD(
        ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
            .putLong(session)
            .putLong(requestId)
            .putInt(index)
            .flip());
  }

  private static Cipher newCipher() {
    try {
      return Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK has no AES-GCM", e);
    }
  }
}

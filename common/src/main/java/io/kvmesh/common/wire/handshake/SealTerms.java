package io.kvmesh.common.wire.handshake;

import io.kvmesh.common.wire.Bytes;

/**
 * Under what the frames at the owner's lookup port are sealed for one requester; told over CURVE
 * alone.
 *
 * @param session names the terms in each frame
 * @param key secret, 16 bytes
 */
public record SealTerms(long session, Bytes key) {

  /** Does not tell the key. */
  @Override
  public String toString() {
    return "SealTerms[session=" + Long.toHexString(session) + "]";
  }
}

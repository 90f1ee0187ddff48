package io.kvmesh.common.hash;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A digest of the first bytes of an array. One thread. */
interface Digest {

  /** The digest of so many bytes. */
  byte[] of(byte[] bytes, int length);

  /** SHA-256. */
  static Digest sha256() {
    MessageDigest sha = newSha256();
    return (bytes, length) -> {
      sha.update(bytes, 0, length);
      return sha.digest();
    };
  }

  private static MessageDigest newSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}

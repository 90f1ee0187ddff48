package io.kvmesh.common.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * Keys that clients make up as they like, such as those of single layers or of older engines: a
 * keyspace of their own, in which the hash is the SHA-256 of the text. Two texts are two chunks,
 * and no text is the chunk of another keyspace.
 */
public final class OpaqueKeys {

  private static final Keyspace KEYSPACE = Keyspace.of("opaque", 1, 0, "uint8", List.of());

  private OpaqueKeys() {}

  /** The chunk of that text. */
  public static ChunkKey of(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] hash = digest.digest(text.getBytes(StandardCharsets.UTF_8));
      return new ChunkKey(KEYSPACE, ChunkHash.ofBytes(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether chunks of the keyspace are of no model, so that any body may be one. */
  public static boolean isTheirs(Keyspace keyspace) {
    return keyspace.equals(KEYSPACE);
  }
}

package io.kvmesh.common.wire.vllm;

import io.kvmesh.common.wire.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a block, and by it of all tokens up to its end. An engine writes the whole digest or,
 * by default, only its last 64 bits as a number; one stream may have both. They are compared as
 * they were written, and indexed by the last 64 bits, so that both are one key.
 *
 * @param bits the last 64 bits
 * @param digest null where only those are known
 */
public record BlockHash(long bits, @Nullable Bytes digest) {

  /** Bytes of the shortest digest. */
  public static final int LEAST_BYTES = Long.BYTES;

  /** Bytes of the longest digest. */
  public static final int MOST_BYTES = 64;

  /** A hash that was written as a number. */
  public static BlockHash of(long bits) {
    return new BlockHash(bits, null);
  }

  /**
   * A hash that was written as bytes.
   *
   * @throws IllegalArgumentException if there are too few or too many
   */
  public static BlockHash of(Bytes digest) {
    if (digest.length() < LEAST_BYTES || digest.length() > MOST_BYTES) {
      throw new IllegalArgumentException(
          "A block hash has %d to %d bytes, got %d"
              .formatted(LEAST_BYTES, MOST_BYTES, digest.length()));
    }
    long last = ByteBuffer.wrap(digest.toArray()).getLong(digest.length() - Long.BYTES);
    return new BlockHash(last, digest);
  }

  @Override
  public String toString() {
    return digest == null ? Long.toUnsignedString(bits) : digest.toString();
  }
}

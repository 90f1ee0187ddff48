package io.kvmesh.quickstart.body;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The body of a chunk, made from its key's 64 hash bits: a counter mixed eight bytes at a time, so
 * that no two keys and no two places of one body look alike. Costs about a nanosecond for eight
 * bytes. Stateless but for the length.
 */
public final class ChunkBodies {

  private static final long STEP = 0x9E3779B97F4A7C15L;

  private final int bytes;

  /**
   * @param bytes length of each body
   */
  public ChunkBodies(int bytes) {
    this.bytes = bytes;
  }

  public int bytes() {
    return bytes;
  }

  /** A new body for the key with these hash bits. */
  public byte[] body(long hashBits) {
    byte[] body = new byte[bytes];
    ByteBuffer target = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
    long seed = mix(hashBits);
    int words = bytes / Long.BYTES;
    for (int i = 0; i < words; i++) {
      target.putLong(i * Long.BYTES, word(seed, i));
    }
    for (int i = words * Long.BYTES; i < bytes; i++) {
      body[i] = byteAt(seed, i);
    }
    return body;
  }

  /**
   * Compares every byte and the length.
   *
   * @return the first offset at which the body differs, its length if it is too short or long; −1
   *     if it is right
   */
  public int firstDifference(long hashBits, byte[] body) {
    ByteBuffer source = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
    long seed = mix(hashBits);
    int common = Math.min(bytes, body.length);
    int words = common / Long.BYTES;
    for (int i = 0; i < words; i++) {
      if (source.getLong(i * Long.BYTES) != word(seed, i)) {
        return firstDifferentByte(seed, body, i * Long.BYTES, common);
      }
    }
    int offset = firstDifferentByte(seed, body, words * Long.BYTES, common);
    return offset < 0 && body.length != bytes ? common : offset;
  }

  private int firstDifferentByte(long seed, byte[] body, int from, int to) {
    for (int i = from; i < to; i++) {
      if (body[i] != byteAt(seed, i)) {
        return i;
      }
    }
    return -1;
  }

  private static byte byteAt(long seed, int offset) {
    return (byte) (word(seed, offset / Long.BYTES) >>> (offset % Long.BYTES * Byte.SIZE));
  }

  private static long word(long seed, int index) {
    return mix(seed + STEP * (index + 1L));
  }

  /** The finalizer of SplitMix64: a bijection in which every bit moves every bit. */
  public static long mix(long value) {
    long x = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }
}

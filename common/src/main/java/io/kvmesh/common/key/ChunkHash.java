package io.kvmesh.common.key;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a chunk's tokens. Mostly 64 bits, which are compared as bits: −1 and 2^64−1 are one
 * hash. Each keeps the sign it was written with, for its text and for the wire. A wider hash (a raw
 * digest) is compared by all of its bytes and indexed by its first eight.
 */
public final class ChunkHash {

  private static final int NARROW_DIGITS = 16;
  private static final int MIN_BYTES = Long.BYTES;
  private static final int MAX_BYTES = 64;
  private static final HexFormat HEX = HexFormat.of();

  private final long bits;
  private final boolean negative;
  private final byte @Nullable [] wide;

  private ChunkHash(long bits, boolean negative, byte @Nullable [] wide) {
    this.bits = bits;
    this.negative = negative;
    this.wide = wide;
  }

  /** A hash written as a signed number. */
  public static ChunkHash ofSigned(long value) {
    return new ChunkHash(value, value < 0, null);
  }

  /** A hash written as an unsigned number: its 64 bits. */
  public static ChunkHash ofUnsigned(long bits) {
    return new ChunkHash(bits, false, null);
  }

  /**
   * A digest of 8 to 64 bytes, big-endian. Eight bytes are a 64-bit hash; more are wide, padded on
   * the left to 16, 32 or 64 bytes.
   *
   * @throws KeyFormatException for another length
   */
  public static ChunkHash ofBytes(byte[] digest) {
    if (digest.length < MIN_BYTES || digest.length > MAX_BYTES) {
      throw new KeyFormatException(
          "A chunk hash has %d to %d bytes, got %d".formatted(MIN_BYTES, MAX_BYTES, digest.length));
    }
    return ofPadded(digest);
  }

  /**
   * Reads LMCache's text: hexadecimal digits, a minus sign if negative. More than 16 digits are a
   * wide hash, of which a writer may have dropped leading zeros.
   *
   * @throws KeyFormatException if the text is anything else, or doesn't fit
   */
  public static ChunkHash parse(String text) {
    boolean minus = text.startsWith("-");
    String digits = minus ? text.substring(1) : text;
    if (digits.isEmpty() || !digits.chars().allMatch(HexFormat::isHexDigit)) {
      throw KeyFormatException.of(text, "a chunk hash is a hexadecimal number");
    }
    if (digits.length() > NARROW_DIGITS) {
      return parseWide(text, minus, digits);
    }
    long magnitude = Long.parseUnsignedLong(digits, 16);
    if (!minus) {
      return ofUnsigned(magnitude);
    }
    if (Long.compareUnsigned(magnitude, Long.MIN_VALUE) > 0) {
      throw KeyFormatException.of(text, "a negative chunk hash is at least -2^63");
    }
    return ofSigned(-magnitude);
  }

  private static ChunkHash parseWide(String text, boolean minus, String digits) {
    if (minus) {
      throw KeyFormatException.of(text, "a chunk hash of more than 16 digits has no sign");
    }
    if (digits.length() > 2 * MAX_BYTES) {
      throw KeyFormatException.of(text, "a chunk hash has at most 128 hexadecimal digits");
    }
    return ofPadded(HEX.parseHex(digits.length() % 2 == 0 ? digits : "0" + digits));
  }

  private static ChunkHash ofPadded(byte[] digest) {
    int width = MIN_BYTES;
    while (width < digest.length) {
      width *= 2;
    }
    byte[] padded = new byte[width];
    System.arraycopy(digest, 0, padded, width - digest.length, digest.length);
    long first = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      first = (first << Byte.SIZE) | (padded[i] & 0xff);
    }
    return new ChunkHash(first, false, width == MIN_BYTES ? null : padded);
  }

  /** The 64 bits that indexes use: the whole hash, or the first eight bytes of a wide one. */
  public long bits() {
    return bits;
  }

  /** The last 64 bits: all of the hash, or the last eight bytes of a wide one, as vLLM tells it. */
  public long lastBits() {
    return wide == null ? bits : ByteBuffer.wrap(wide).getLong(wide.length - Long.BYTES);
  }

  /** Whether it has more than 64 bits. */
  public boolean isWide() {
    return wide != null;
  }

  /** Whether it was written as a negative number. */
  public boolean isNegative() {
    return negative;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ChunkHash that && bits == that.bits && Arrays.equals(wide, that.wide);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bits);
  }

  /** LMCache's text, with the sign it was written with. */
  @Override
  public String toString() {
    if (wide != null) {
      return HEX.formatHex(wide);
    }
    return negative ? "-" + Long.toHexString(-bits) : Long.toHexString(bits);
  }
}

package io.kvmesh.common.hash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * CPython's hash of numbers, tuples, texts and None on machines of 64 bits. That of a tuple, the
 * same from 3.8 on, is the scheme of xxHash with one lane for each element: {@link
 * #EMPTY_ACCUMULATOR}, {@link #mix} for each, {@link #finish}. That of a text is SipHash under a
 * key drawn from PYTHONHASHSEED: SipHash-1-3 from 3.11 on, SipHash-2-4 before.
 */
final class PythonHash {

  /** The accumulator before the first element. */
  static final long EMPTY_ACCUMULATOR = 2870177450012600261L;

  /** {@code hash(())}. */
  static final long EMPTY_TUPLE = 5740354900026072187L;

  /** {@code hash(None)} from 3.12 on; before it is an address. */
  static final long NONE = 4238894112L;

  private static final long PRIME_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long LENGTH_MASK = EMPTY_ACCUMULATOR ^ 3527539;
  private static final long INSTEAD_OF_MINUS_1 = 1546275796;
  private static final long MODULUS = (1L << 61) - 1;
  private static final long MAX_SEED = 0xffff_ffffL;

  private PythonHash() {}

  /** {@code hash(n)}. */
  static long ofInt(long n) {
    if (n >= 0) {
      return n < MODULUS ? n : n % MODULUS;
    }
    long hash = -Long.remainderUnsigned(-n, MODULUS);
    return hash == -1 ? -2 : hash;
  }

  /** The accumulator after a further element of that hash. */
  static long mix(long accumulator, long hash) {
    return Long.rotateLeft(accumulator + hash * PRIME_2, 31) * PRIME_1;
  }

  /** The hash of a tuple of so many elements. */
  static long finish(long accumulator, int length) {
    long hash = accumulator + (length ^ LENGTH_MASK);
    return hash == -1 ? INSTEAD_OF_MINUS_1 : hash;
  }

  /**
   * Checks that a text may be PYTHONHASHSEED and gives the same hashes each time.
   *
   * @throws IllegalArgumentException if not
   */
  static void requireSeed(String seed) {
    boolean digits = seed.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!digits || seed.length() > 10 || Long.parseLong(seed) > MAX_SEED) {
      throw new IllegalArgumentException(
          "Impossible hash seed '%s': with builtin it is empty or a number from 0 to %d"
              .formatted(seed, MAX_SEED));
    }
  }

  /** {@code hash(seed)} under PYTHONHASHSEED=seed, from 3.11 on. */
  static long ofSeed(String seed) {
    return ofText(seed, 1, 3);
  }

  /** The same up to 3.10. */
  static long ofSeedBefore311(String seed) {
    return ofText(seed, 2, 4);
  }

  private static long ofText(String seed, int rounds, int lastRounds) {
    ByteBuffer key = ByteBuffer.wrap(secret(Long.parseLong(seed))).order(ByteOrder.LITTLE_ENDIAN);
    byte[] text = seed.getBytes(StandardCharsets.US_ASCII);
    long hash = new SipHash(key.getLong(), key.getLong()).hash(text, rounds, lastRounds);
    return hash == -1 ? -2 : hash;
  }

  /** The first 16 bytes that CPython's generator makes of a seed; 0 turns it off. */
  private static byte[] secret(long seed) {
    byte[] secret = new byte[2 * Long.BYTES];
    int x = (int) seed;
    for (int i = 0; i < secret.length && seed != 0; i++) {
      x = x * 214013 + 2531011;
      secret[i] = (byte) (x >>> 16);
    }
    return secret;
  }
}

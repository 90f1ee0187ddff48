package io.kvmesh.common.hash;

import java.math.BigInteger;
import java.util.Collection;

/** A prompt's tokens as plain numbers. */
public final class Tokens {

  private Tokens() {}

  /**
   * The tokens as an array.
   *
   * @throws TokenFormatException if one isn't a whole number from 0 to 2^63−1
   */
  public static long[] of(Collection<? extends Number> numbers) {
    long[] tokens = new long[numbers.size()];
    int index = 0;
    for (Number number : numbers) {
      tokens[index] = token(index, number);
      index++;
    }
    return tokens;
  }

  private static long token(int index, Number number) {
    long value =
        switch (number) {
          case Integer small -> small;
          case Long exact -> exact;
          case BigInteger big when big.bitLength() < Long.SIZE -> big.longValue();
          default -> throw TokenFormatException.of(index, number);
        };
    if (value < 0) {
      throw TokenFormatException.of(index, number);
    }
    return value;
  }

  /**
   * @throws TokenFormatException if one is negative
   */
  static void check(long[] tokens) {
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] < 0) {
        throw TokenFormatException.of(i, tokens[i]);
      }
    }
  }
}

package io.kvmesh.controller.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigInteger;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A chunk hash in a request: a whole number, or a string of decimal digits or of hexadecimal ones
 * after 0x. Signed and unsigned writings of the same 64 bits are one hash. Never passes through a
 * floating point number.
 */
@Schema(type = "string", description = HashValue.RULE, example = "0x2a")
@JsonDeserialize(using = HashValue.Deserializer.class)
record HashValue(long bits) {

  static final String RULE =
      "must be a whole number from -2^63 to 2^64-1, or a string of one (decimal, or hexadecimal"
          + " after 0x)";

  private static final BigInteger LOWEST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger HIGHEST = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
  private static final int LONGEST_TEXT = 24;

  /** How hashes are written in answers: unsigned decimal. */
  static String text(long bits) {
    return Long.toUnsignedString(bits);
  }

  static HashValue parse(String text) {
    if (text.length() > LONGEST_TEXT) {
      throw new NumberFormatException(RULE);
    }
    boolean hexadecimal = text.startsWith("0x") || text.startsWith("0X");
    BigInteger value =
        hexadecimal ? new BigInteger(unsigned(text.substring(2)), 16) : new BigInteger(text);
    return of(value);
  }

  private static String unsigned(String digits) {
    if (digits.startsWith("-") || digits.startsWith("+")) {
      throw new NumberFormatException(RULE);
    }
    return digits;
  }

  private static HashValue of(BigInteger value) {
    if (value.compareTo(LOWEST) < 0 || value.compareTo(HIGHEST) > 0) {
      throw new NumberFormatException(RULE);
    }
    return new HashValue(value.longValue());
  }

  /** Reads numbers and strings; everything else is a mismatch. */
  static final class Deserializer extends ValueDeserializer<HashValue> {

    @Override
    public HashValue deserialize(JsonParser parser, DeserializationContext context) {
      JsonToken token = parser.currentToken();
      if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_STRING) {
        return (HashValue)
            context.handleUnexpectedToken(context.constructType(HashValue.class), parser);
      }
      try {
        return token == JsonToken.VALUE_STRING
            ? parse(parser.getString())
            : of(parser.getBigIntegerValue());
      } catch (NumberFormatException e) {
        throw context.weirdStringException(parser.getString(), HashValue.class, RULE);
      }
    }
  }
}

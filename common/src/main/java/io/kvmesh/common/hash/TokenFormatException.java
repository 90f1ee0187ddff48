package io.kvmesh.common.hash;

/** A number that is no token; the message names its place, the value and the rule. */
public final class TokenFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private static final int SHOWN_CHARS = 40;

  private TokenFormatException(String message) {
    super(message);
  }

  static TokenFormatException of(int index, Object value) {
    String text = String.valueOf(value);
    String shown = text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
    return new TokenFormatException(
        "Token %d is %s: a token is a whole number from 0 to 2^63-1".formatted(index, shown));
  }
}

package io.kvmesh.common.key;

/** A text or value that is no key; the message names the text and the rule it breaks. */
public final class KeyFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private static final int SHOWN_CHARS = 120;

  KeyFormatException(String message) {
    super(message);
  }

  static KeyFormatException of(String text, String rule) {
    return of("key", text, rule);
  }

  static KeyFormatException of(String kind, String text, String rule) {
    String shown = text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
    return new KeyFormatException("Invalid " + kind + " '" + shown + "': " + rule);
  }
}

package io.kvmesh.common.wire.codec;

/**
 * Bytes that are no message: what rule they break, in msgspec's words, where in the bytes and at
 * which field. It has no stack trace: garbage from the network is common and its cause isn't here.
 */
public final class WireFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  /** What kind of rule was broken. */
  public enum Code {
    /** The bytes end within a value, or a length goes beyond their end. */
    TRUNCATED,
    /** Bytes follow the message. */
    TRAILING_BYTES,
    /** No msgpack, or no JSON, at all. */
    MALFORMED,
    /** A text isn't UTF-8. */
    INVALID_UTF8,
    /** A value of another type than the field's. */
    WRONG_TYPE,
    /** A number that the field can't hold. */
    OUT_OF_RANGE,
    /** A text that the field doesn't allow. */
    INVALID_VALUE,
    /** A field without default is absent. */
    MISSING_FIELD,
    /** The field that names the message's type is absent. */
    MISSING_TYPE,
    /** There is no such type of message. */
    UNKNOWN_TYPE,
    /** A message, but none of those that are expected here. */
    UNEXPECTED_TYPE,
    /** Written in a format later than ours. */
    UNSUPPORTED_FORMAT,
    /** More bytes, elements or levels than the limits allow. */
    LIMIT_EXCEEDED
  }

  private static final String ROOT = "$";

  private final Code code;
  private final int offset;
  private final String path;
  private final String rule;

  private WireFormatException(Code code, int offset, String path, String rule) {
    super("%s - at `%s` (byte %d)".formatted(rule, path, offset), null, false, false);
    this.code = code;
    this.offset = offset;
    this.path = path;
    this.rule = rule;
  }

  static WireFormatException at(Code code, int offset, String rule) {
    return new WireFormatException(code, offset, ROOT, rule);
  }

  /** The same, one level further up: a segment is {@code .field} or {@code [index]}. */
  WireFormatException within(String segment) {
    String inner = path.substring(ROOT.length());
    return new WireFormatException(code, offset, ROOT + segment + inner, rule);
  }

  /** The same, at another byte: the bytes were rewritten before they were read. */
  WireFormatException movedTo(int otherOffset) {
    return new WireFormatException(code, otherOffset, path, rule);
  }

  /** The same for a value of which more types are allowed than the rule says. */
  WireFormatException expecting(String fewer, String more) {
    return code == Code.WRONG_TYPE && path.equals(ROOT)
        ? at(code, offset, rule.replace("Expected `" + fewer + "`", "Expected `" + more + "`"))
        : this;
  }

  /** The kind of the rule. */
  public Code code() {
    return code;
  }

  /** Index of the byte where the offending value starts. */
  public int offset() {
    return offset;
  }

  /** The offending field, such as {@code $.operations[0].op_type}; {@code $} is the message. */
  public String path() {
    return path;
  }

  /** The rule in words, without the place. */
  public String rule() {
    return rule;
  }
}

package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.ExtensionValue;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.msgpack.core.ExtensionTypeHeader;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessageInsufficientBufferException;
import org.msgpack.core.MessageNeverUsedFormatException;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageSizeException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;

/**
 * A position in a message's bytes. Every length is checked against the bytes that are left before
 * anything is allocated for it. One decoding, one thread.
 */
final class WireReader {

  private static final int LONGEST_TOKEN = 64;
  private static final int UINT64_BYTES = 1 + Long.BYTES;

  private final MsgpackLibrary library;
  private final byte[] bytes;
  private final DecodeLimits limits;
  private final byte[] scratch = new byte[LONGEST_TOKEN];
  private MessageUnpacker in;
  private int base;
  private int mark;
  private int depth;
  private long elementsInAll;
  private int tokenLength;

  WireReader(MsgpackLibrary library, byte[] bytes, DecodeLimits limits) {
    this.library = library;
    this.bytes = bytes;
    this.limits = limits;
    this.in = library.newUnpacker(bytes, 0);
  }

  private interface Read<T> {
    T apply() throws IOException;
  }

  /** Runs one read of the library and puts its exceptions in our words. */
  private <T> T guard(Read<T> read) throws WireFormatException {
    try {
      return read.apply();
    } catch (MessageInsufficientBufferException | MessageSizeException e) {
      throw truncated();
    } catch (MessageNeverUsedFormatException e) {
      throw neverUsed();
    } catch (MessagePackException e) {
      throw fault(Code.MALFORMED, "MessagePack data is malformed: " + e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException("Reading an array does no I/O", e);
    }
  }

  /** Index of the next byte. */
  int offset() {
    return base + (int) in.getTotalReadBytes();
  }

  /** All bytes of the message; not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  /** Goes to where a value starts, or to the end. */
  void rewind(int offset) {
    in = library.newUnpacker(bytes, offset);
    base = offset;
  }

  /** A fault at the start of the value that was looked at last. */
  WireFormatException fault(Code code, String rule) {
    return WireFormatException.at(code, mark, rule);
  }

  WireFormatException wrongType(String expected, MessageFormat got) {
    return fault(Code.WRONG_TYPE, "Expected `%s`, got `%s`".formatted(expected, nameOf(got)));
  }

  private WireFormatException neverUsed() {
    return fault(Code.MALFORMED, "MessagePack data is malformed: invalid opcode '\\xc1'");
  }

  private WireFormatException truncated() {
    return fault(Code.TRUNCATED, "Input data was truncated");
  }

  /** Format of the next value, which starts here. */
  MessageFormat peek() throws WireFormatException {
    mark = offset();
    if (mark >= bytes.length) {
      throw truncated();
    }
    MessageFormat format = MessageFormat.valueOf(bytes[mark]);
    if (format == MessageFormat.NEVER_USED) {
      throw neverUsed();
    }
    return format;
  }

  boolean skipNil() throws WireFormatException {
    if (peek() != MessageFormat.NIL) {
      return false;
    }
    guard(this::readNil);
    return true;
  }

  private boolean readNil() throws IOException {
    in.unpackNil();
    return true;
  }

  private MessageFormat require(ValueType type, String expected) throws WireFormatException {
    MessageFormat format = peek();
    if (format.getValueType() != type) {
      throw wrongType(expected, format);
    }
    return format;
  }

  boolean readBoolean(String expected) throws WireFormatException {
    require(ValueType.BOOLEAN, expected);
    return guard(in::unpackBoolean);
  }

  /** The 64 bits of an integer; tells those of 2^63 and above from negative ones. */
  long readIntegerBits(String expected) throws WireFormatException {
    if (require(ValueType.INTEGER, expected) != MessageFormat.UINT64) {
      return guard(in::unpackLong);
    }
    guard(this::readUint64);
    return ByteBuffer.wrap(scratch).getLong(1);
  }

  private boolean readUint64() throws IOException {
    in.readPayload(scratch, 0, UINT64_BYTES);
    return true;
  }

  /** Whether the integer that was read last was written as an unsigned one. */
  boolean wasUint64() {
    return MessageFormat.valueOf(bytes[mark]) == MessageFormat.UINT64;
  }

  double readDouble(String expected) throws WireFormatException {
    MessageFormat format = peek();
    if (format.getValueType() == ValueType.INTEGER) {
      long bits = readIntegerBits(expected);
      return bits < 0 && wasUint64() ? (bits >>> 1) * 2.0 : bits;
    }
    if (format.getValueType() != ValueType.FLOAT) {
      throw wrongType(expected, format);
    }
    return guard(in::unpackDouble);
  }

  String readString(String expected) throws WireFormatException {
    require(ValueType.STRING, expected);
    byte[] raw = readPayload(guard(in::unpackRawStringHeader));
    return decodeUtf8(raw, raw.length);
  }

  private String decodeUtf8(byte[] raw, int length) throws WireFormatException {
    String text = new String(raw, 0, length, StandardCharsets.UTF_8);
    // Malformed input becomes a replacement character, which valid input may hold too.
    if (text.indexOf('\ufffd') >= 0) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(raw, 0, length));
      } catch (CharacterCodingException e) {
        throw fault(Code.INVALID_UTF8, "Invalid UTF-8 in a `str`");
      }
    }
    return text;
  }

  Bytes readBytes(String expected) throws WireFormatException {
    require(ValueType.BINARY, expected);
    return Bytes.of(readPayload(guard(in::unpackBinaryHeader)));
  }

  ExtensionValue readExtension() throws WireFormatException {
    require(ValueType.EXTENSION, "ext");
    ExtensionTypeHeader header = guard(in::unpackExtensionTypeHeader);
    return new ExtensionValue(header.getType(), Bytes.of(readPayload(header.getLength())));
  }

  private byte[] readPayload(int length) throws WireFormatException {
    if (length > bytes.length - offset()) {
      throw truncated();
    }
    return guard(() -> in.readPayload(length));
  }

  /** Opens an array; {@link #leave} closes it. */
  int enterArray(String expected) throws WireFormatException {
    require(ValueType.ARRAY, expected);
    return enter(guard(in::unpackArrayHeader), 1);
  }

  /** Opens a map; {@link #leave} closes it. */
  int enterMap(String expected) throws WireFormatException {
    require(ValueType.MAP, expected);
    return enter(guard(in::unpackMapHeader), 2);
  }

  private int enter(int elements, int leastBytes) throws WireFormatException {
    if (elements > (bytes.length - offset()) / leastBytes) {
      throw truncated();
    }
    if (elements > limits.maxElements()) {
      throw fault(
          Code.LIMIT_EXCEEDED,
          "At most %d elements in one container, got %d".formatted(limits.maxElements(), elements));
    }
    elementsInAll += elements;
    if (elementsInAll > limits.maxElementsInAll()) {
      throw fault(
          Code.LIMIT_EXCEEDED,
          "At most %d elements in all containers".formatted(limits.maxElementsInAll()));
    }
    if (++depth > limits.maxDepth()) {
      throw fault(Code.LIMIT_EXCEEDED, "At most %d nested containers".formatted(limits.maxDepth()));
    }
    return elements;
  }

  /** Whether a container may be opened here. */
  boolean mayEnter() {
    return depth < limits.maxDepth();
  }

  void leave() {
    depth--;
  }

  /**
   * Reads a short text, such as a field's name, without making a String of it: to be compared by
   * {@link #tokenIs} or taken by {@link #token}, before the next one.
   */
  void readToken() throws WireFormatException {
    require(ValueType.STRING, "str");
    int length = guard(in::unpackRawStringHeader);
    if (length > LONGEST_TOKEN) {
      // None of ours is as long: what it is exactly doesn't matter.
      System.arraycopy(readPayload(length), 0, scratch, 0, LONGEST_TOKEN);
      tokenLength = LONGEST_TOKEN;
    } else if (length > bytes.length - offset()) {
      throw truncated();
    } else {
      tokenLength = length;
      guard(this::readTokenBytes);
    }
  }

  private boolean readTokenBytes() throws IOException {
    in.readPayload(scratch, 0, tokenLength);
    return true;
  }

  boolean tokenIs(byte[] text) {
    return Arrays.equals(scratch, 0, tokenLength, text, 0, text.length);
  }

  String token() {
    return new String(scratch, 0, tokenLength, StandardCharsets.UTF_8);
  }

  /** Skips a value whatever it is. */
  void skip() throws WireFormatException {
    switch (peek().getValueType()) {
      case ARRAY -> skipAll(enterArray("array"));
      case MAP -> skipAll(2L * enterMap("object"));
      default -> guard(this::skipScalar);
    }
  }

  private void skipAll(long values) throws WireFormatException {
    for (long i = 0; i < values; i++) {
      skip();
    }
    leave();
  }

  // The library's skipping of containers overflows its count: it may stop too early.
  private boolean skipScalar() throws IOException {
    in.skipValue();
    return true;
  }

  void requireEnd() throws WireFormatException {
    int end = offset();
    if (end < bytes.length) {
      throw WireFormatException.at(
          Code.TRAILING_BYTES,
          end,
          "MessagePack data is malformed: trailing characters (byte %d)".formatted(end));
    }
  }

  private static String nameOf(MessageFormat format) {
    return switch (format.getValueType()) {
      case NIL -> "None";
      case BOOLEAN -> "bool";
      case INTEGER -> "int";
      case FLOAT -> "float";
      case STRING -> "str";
      case BINARY -> "bytes";
      case ARRAY -> "array";
      case MAP -> "object";
      case EXTENSION -> "ext";
    };
  }
}

package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.msgpack.core.MessageBufferPacker;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * A message as JSON text, rewritten as the msgpack of the same values, so that one set of rules
 * reads both. Strict JSON in UTF-8; integers from −2^63 to 2^64−1, exact; names of fields as they
 * stand, those that occur twice too. The rewriting needs at most five times the text's bytes.
 *
 * <p>One thread.
 */
final class JsonFrame {

  private static final int NOWHERE = -1;
  private static final int ANY_ARRAY_32 = 1 << 16;
  private static final int COUNT_BYTES = Integer.BYTES;

  private final MsgpackLibrary library;
  private final DecodeLimits limits;
  private final byte[] text;
  private final CharBuffer chars;

  /** Position and value of each container's count, which is known at the container's end. */
  private int[] counts = new int[16];

  private int countsLength;
  private int wanted = NOWHERE;
  private int found;

  /**
   * @throws WireFormatException if the text isn't UTF-8
   */
  JsonFrame(MsgpackLibrary library, byte[] text, DecodeLimits limits) throws WireFormatException {
    this.library = library;
    this.limits = limits;
    this.text = text;
    this.chars = CharBuffer.allocate(text.length);
    ByteBuffer in = ByteBuffer.wrap(text);
    CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, chars, true);
    if (result.isError()) {
      throw WireFormatException.at(Code.INVALID_UTF8, in.position(), "Invalid UTF-8 in a `str`");
    }
    chars.flip();
  }

  /**
   * The msgpack of the text.
   *
   * @throws WireFormatException if it isn't JSON, or has a number that msgpack can't hold
   */
  byte[] toMsgpack() throws WireFormatException {
    countsLength = 0;
    try (JsonParser in = newParser();
        MessageBufferPacker out = library.newPacker()) {
      try {
        in.nextToken();
        rewrite(in, out, 1);
        if (in.nextToken() != null) {
          throw fault(in, Code.TRAILING_BYTES, "JSON is malformed: trailing characters");
        }
      } catch (JacksonException e) {
        throw fault(in, e);
      }
      return withCounts(out.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does no I/O", e);
    }
  }

  /** Where in the text the value stands that begins at an index of the msgpack, in bytes. */
  int textOffset(int msgpackOffset) throws WireFormatException {
    wanted = msgpackOffset;
    toMsgpack();
    wanted = NOWHERE;
    return byteOffset(found);
  }

  private int byteOffset(int charOffset) {
    int end = Math.clamp(charOffset, 0, chars.limit());
    return Math.min(
        new String(chars.array(), 0, end).getBytes(StandardCharsets.UTF_8).length, text.length);
  }

  private JsonParser newParser() {
    JsonFactory factory =
        JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(
                StreamReadConstraints.builder().maxNestingDepth(limits.maxDepth() + 1).build())
            .build();
    return factory.createParser(ObjectReadContext.empty(), chars.array(), 0, chars.limit());
  }

  /** Rewrites the value whose first token is the parser's current one. */
  private void rewrite(JsonParser in, MessageBufferPacker out, int depth)
      throws IOException, WireFormatException {
    note(in, out);
    JsonToken token = in.currentToken();
    switch (token) {
      case START_OBJECT, START_ARRAY -> rewriteContainer(in, out, depth);
      case VALUE_STRING -> out.packString(wellFormed(in, in.getString()));
      case VALUE_NUMBER_INT -> rewriteInteger(in, out);
      case VALUE_NUMBER_FLOAT -> out.packDouble(finite(in));
      case VALUE_TRUE -> out.packBoolean(true);
      case VALUE_FALSE -> out.packBoolean(false);
      case VALUE_NULL -> out.packNil();
      case null -> throw fault(in, Code.TRUNCATED, "Input data was truncated");
      default -> throw new IllegalStateException("No value begins with " + token);
    }
  }

  private void rewriteContainer(JsonParser in, MessageBufferPacker out, int depth)
      throws IOException, WireFormatException {
    if (depth > limits.maxDepth()) {
      throw fault(
          in, Code.LIMIT_EXCEEDED, "At most %d nested containers".formatted(limits.maxDepth()));
    }
    boolean object = in.currentToken() == JsonToken.START_OBJECT;
    if (object) {
      out.packMapHeader(ANY_ARRAY_32);
    } else {
      out.packArrayHeader(ANY_ARRAY_32);
    }
    int count = newCount(out);
    JsonToken end = object ? JsonToken.END_OBJECT : JsonToken.END_ARRAY;
    while (in.nextToken() != end) {
      if (++counts[count + 1] > limits.maxElements()) {
        throw fault(
            in,
            Code.LIMIT_EXCEEDED,
            "At most %d elements in one container".formatted(limits.maxElements()));
      }
      if (object) {
        rewriteName(in, out);
      }
      rewrite(in, out, depth + 1);
    }
  }

  private void rewriteName(JsonParser in, MessageBufferPacker out)
      throws IOException, WireFormatException {
    if (in.currentToken() == null) {
      throw fault(in, Code.TRUNCATED, "Input data was truncated");
    }
    note(in, out);
    out.packString(wellFormed(in, in.currentName()));
    in.nextToken();
  }

  private int newCount(MessageBufferPacker out) {
    if (countsLength + 2 > counts.length) {
      counts = Arrays.copyOf(counts, 2 * counts.length);
    }
    int index = countsLength;
    counts[index] = (int) out.getTotalWrittenBytes() - COUNT_BYTES;
    counts[index + 1] = 0;
    countsLength += 2;
    return index;
  }

  private byte[] withCounts(byte[] msgpack) {
    ByteBuffer out = ByteBuffer.wrap(msgpack);
    for (int i = 0; i < countsLength; i += 2) {
      out.putInt(counts[i], counts[i + 1]);
    }
    return msgpack;
  }

  private void note(JsonParser in, MessageBufferPacker out) {
    if (out.getTotalWrittenBytes() <= wanted) {
      found = (int) in.currentTokenLocation().getCharOffset();
    }
  }

  private void rewriteInteger(JsonParser in, MessageBufferPacker out)
      throws IOException, WireFormatException {
    if (in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      out.packLong(in.getLongValue());
      return;
    }
    BigInteger value = in.getBigIntegerValue();
    if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
      throw fault(in, Code.OUT_OF_RANGE, "Expected `int` from -2^63 to 2^64-1");
    }
    Integers.packUint64(out, value.longValue());
  }

  private double finite(JsonParser in) throws WireFormatException {
    double value = in.getDoubleValue();
    if (Double.isInfinite(value)) {
      throw fault(in, Code.OUT_OF_RANGE, "Expected `float` of 64 bits");
    }
    return value;
  }

  private String wellFormed(JsonParser in, String value) throws WireFormatException {
    if (value.chars().anyMatch(c -> Character.isSurrogate((char) c))
        && !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
      throw fault(in, Code.MALFORMED, "JSON is malformed: half a surrogate pair in a `str`");
    }
    return value;
  }

  private WireFormatException fault(JsonParser in, JacksonException cause) {
    return switch (cause) {
      case UnexpectedEndOfInputException _ -> fault(in, Code.TRUNCATED, "Input data was truncated");
      case StreamConstraintsException e -> fault(in, Code.LIMIT_EXCEEDED, oneLine(e));
      default -> fault(in, Code.MALFORMED, "JSON is malformed: " + oneLine(cause));
    };
  }

  private static String oneLine(JacksonException cause) {
    return String.valueOf(cause.getOriginalMessage()).lines().findFirst().orElse("");
  }

  /** A fault at the current token and its place in the message. */
  private WireFormatException fault(JsonParser in, Code code, String rule) {
    int offset = byteOffset((int) in.currentTokenLocation().getCharOffset());
    WireFormatException fault = WireFormatException.at(code, offset, rule);
    TokenStreamContext place = in.streamReadContext();
    while (place != null && !place.inRoot()) {
      fault = fault.within(segment(place));
      place = place.getParent();
    }
    return fault;
  }

  private static String segment(TokenStreamContext place) {
    if (place.inArray()) {
      return "[" + place.getCurrentIndex() + "]";
    }
    return place.currentName() == null ? "" : "." + place.currentName();
  }
}

package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.ExtensionValue;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePacker;

/**
 * Any value: null, Boolean, Long, BigInteger (2^63 and above), Float, Double, String, Bytes, List,
 * Map, ExtensionValue.
 */
final class AnyCodec implements ValueCodec {

  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(Long.SIZE);

  private final ListCodec list = new ListCodec(this);
  private final MapCodec map = new MapCodec(new KeyCodec(), this);

  /** Any key of a map but nil. */
  private final class KeyCodec implements ValueCodec {

    @Override
    public String expected() {
      return "any";
    }

    @Override
    public Object read(WireReader in) throws WireFormatException {
      MessageFormat format = in.peek();
      Object key = AnyCodec.this.read(in);
      if (key == null) {
        throw in.wrongType("str", format);
      }
      return key;
    }

    @Override
    public void write(MessagePacker out, @Nullable Object key) throws IOException {
      AnyCodec.this.write(out, Objects.requireNonNull(key));
    }
  }

  @Override
  public String expected() {
    return "any";
  }

  @Override
  public @Nullable Object read(WireReader in) throws WireFormatException {
    MessageFormat format = in.peek();
    return switch (format.getValueType()) {
      case NIL -> in.skipNil() ? null : this;
      case BOOLEAN -> in.readBoolean(expected());
      case INTEGER -> readInteger(in);
      case FLOAT -> readFloat(in, format);
      case STRING -> in.readString(expected());
      case BINARY -> in.readBytes(expected());
      case ARRAY -> list.read(in);
      case MAP -> map.read(in);
      case EXTENSION -> in.readExtension();
    };
  }

  private Object readInteger(WireReader in) throws WireFormatException {
    long bits = in.readIntegerBits(expected());
    if (bits < 0 && in.wasUint64()) {
      return BigInteger.valueOf(bits).add(TWO_64);
    }
    return bits;
  }

  private Object readFloat(WireReader in, MessageFormat format) throws WireFormatException {
    double value = in.readDouble(expected());
    if (format == MessageFormat.FLOAT32) {
      return (float) value;
    }
    return value;
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> out.packNil();
      case Boolean truth -> out.packBoolean(truth);
      case Integer number -> out.packInt(number);
      case Long number -> out.packLong(number);
      case BigInteger number -> out.packBigInteger(number);
      case Float number -> out.packFloat(number);
      case Double number -> out.packDouble(number);
      case String text -> out.packString(text);
      case Bytes bytes -> ScalarCodec.BYTES.write(out, bytes);
      case List<?> elements -> list.write(out, elements);
      case Map<?, ?> entries -> map.write(out, entries);
      case ExtensionValue extension -> writeExtension(out, extension);
      default -> throw new IllegalArgumentException("No msgpack for " + value.getClass());
    }
  }

  private static void writeExtension(MessagePacker out, ExtensionValue value) throws IOException {
    byte[] content = value.content().toArray();
    out.packExtensionTypeHeader(value.type(), content.length);
    out.writePayload(content);
  }
}

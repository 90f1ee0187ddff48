package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A constant as a text: its name in lower case. */
final class EnumCodec implements ValueCodec {

  private final Object[] constants;
  private final byte[][] names;

  EnumCodec(Class<?> type) {
    this.constants = type.getEnumConstants();
    this.names = new byte[constants.length][];
    for (int i = 0; i < constants.length; i++) {
      String name = ((Enum<?>) constants[i]).name().toLowerCase(Locale.ROOT);
      names[i] = name.getBytes(StandardCharsets.UTF_8);
    }
  }

  @Override
  public String expected() {
    return "str";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    in.readToken();
    for (int i = 0; i < names.length; i++) {
      if (in.tokenIs(names[i])) {
        return constants[i];
      }
    }
    throw in.fault(Code.INVALID_VALUE, "Invalid enum value '%s'".formatted(in.token()));
  }

  @Override
  @SuppressWarnings("EnumOrdinal") // The names are in the order of the constants.
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    byte[] name = names[((Enum<?>) Objects.requireNonNull(value)).ordinal()];
    out.packRawStringHeader(name.length);
    out.writePayload(name);
  }
}

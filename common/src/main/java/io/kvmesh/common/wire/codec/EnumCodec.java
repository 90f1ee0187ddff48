package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A constant as a text: its name in lower case. */
final class EnumCodec implements ValueCodec {

  private final Map<String, Object> constants = new HashMap<>();

  EnumCodec(Class<?> type) {
    for (Object constant : type.getEnumConstants()) {
      constants.put(nameOf(constant), constant);
    }
  }

  private static String nameOf(Object constant) {
    return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String expected() {
    return "str";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    String name = in.readString(expected());
    Object constant = constants.get(name);
    if (constant == null) {
      throw in.fault(Code.INVALID_VALUE, "Invalid enum value '%s'".formatted(name));
    }
    return constant;
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    out.packString(nameOf(Objects.requireNonNull(value)));
  }
}

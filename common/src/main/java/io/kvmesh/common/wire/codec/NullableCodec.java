package io.kvmesh.common.wire.codec;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A value or nil. */
final class NullableCodec implements ValueCodec {

  private final ValueCodec inner;

  NullableCodec(ValueCodec inner) {
    this.inner = inner;
  }

  @Override
  public String expected() {
    return inner.expected() + " | null";
  }

  @Override
  public @Nullable Object read(WireReader in) throws WireFormatException {
    if (in.skipNil()) {
      return null;
    }
    try {
      return inner.read(in);
    } catch (WireFormatException e) {
      throw e.expecting(inner.expected(), expected());
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    if (value == null) {
      out.packNil();
    } else {
      inner.write(out, value);
    }
  }
}

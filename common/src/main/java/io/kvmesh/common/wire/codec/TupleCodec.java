package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A record as an array of its components. */
final class TupleCodec implements ValueCodec {

  private final RecordShape shape;

  TupleCodec(RecordShape shape) {
    this.shape = shape;
  }

  @Override
  public String expected() {
    return "array";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    List<RecordField> fields = shape.fields();
    int size = in.enterArray(expected());
    if (size != fields.size()) {
      throw in.fault(
          Code.WRONG_TYPE, "Expected `array` of length %d, got %d".formatted(fields.size(), size));
    }
    @Nullable Object[] values = new @Nullable Object[size];
    for (int i = 0; i < size; i++) {
      try {
        values[i] = fields.get(i).codec().read(in);
      } catch (WireFormatException e) {
        throw e.within("[" + i + "]");
      }
    }
    in.leave();
    return shape.make(in, values);
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    Object tuple = Objects.requireNonNull(value);
    out.packArrayHeader(shape.fields().size());
    for (RecordField field : shape.fields()) {
      field.codec().write(out, field.get(tuple));
    }
  }
}

package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/**
 * A record as an array of its components, behind its tag if it has one. An array may end before
 * components that aren't required, and go on behind the last one: that is skipped.
 */
final class LooseTupleCodec implements ValueCodec {

  private final RecordShape shape;
  private final @Nullable String tag;
  private final int before;
  private final int required;

  LooseTupleCodec(RecordShape shape, @Nullable String tag) {
    this.shape = shape;
    this.tag = tag;
    this.before = tag == null ? 0 : 1;
    this.required = lastRequired(shape.fields()) + 1;
  }

  private static int lastRequired(List<RecordField> fields) {
    int last = fields.size() - 1;
    while (last >= 0 && !fields.get(last).isRequired()) {
      last--;
    }
    return last;
  }

  @Override
  public String expected() {
    return "array";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int size = in.enterArray(expected());
    if (size < before + required) {
      throw in.fault(
          Code.WRONG_TYPE,
          "Expected `array` of at least length %d, got %d".formatted(before + required, size));
    }
    if (tag != null) {
      in.skip();
    }
    List<RecordField> fields = shape.fields();
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = i < size - before ? read(in, fields.get(i)) : fields.get(i).absent();
    }
    for (int i = before + values.length; i < size; i++) {
      in.skip();
    }
    in.leave();
    return shape.make(in, values);
  }

  private static @Nullable Object read(WireReader in, RecordField field)
      throws WireFormatException {
    try {
      return field.codec().read(in);
    } catch (WireFormatException e) {
      throw e.within("." + field.name());
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    Object tuple = Objects.requireNonNull(value);
    out.packArrayHeader(before + shape.fields().size());
    if (tag != null) {
      out.packString(tag);
    }
    for (RecordField field : shape.fields()) {
      field.codec().write(out, field.get(tuple));
    }
  }
}

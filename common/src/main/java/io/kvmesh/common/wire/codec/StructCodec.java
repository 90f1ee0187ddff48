package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A record as a map, with a tag before its fields or without. */
final class StructCodec implements ValueCodec {

  private static final int UNKNOWN = -1;

  private final RecordShape shape;
  private final RecordField[] fields;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final @Nullable Tag tag;
  private final byte[] tagFieldBytes;

  /** The field that names the type, and the type's name. */
  record Tag(String field, String value) {}

  StructCodec(RecordShape shape, @Nullable Tag tag) {
    this.shape = shape;
    this.fields = shape.fields().toArray(RecordField[]::new);
    this.tag = tag;
    this.tagFieldBytes = tag == null ? new byte[0] : tag.field().getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < fields.length; i++) {
      indexes.put(fields[i].name(), i);
    }
  }

  @Override
  public String expected() {
    return "object";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int start = in.offset();
    return readFields(in, start, in.enterMap(expected()));
  }

  /** Reads what is left of an opened map that starts at an offset. */
  Object readFields(WireReader in, int start, int size) throws WireFormatException {
    @Nullable Object[] values = new @Nullable Object[fields.length];
    boolean[] present = new boolean[fields.length];
    int next = 0;
    for (int i = 0; i < size; i++) {
      in.readToken();
      int index = indexOf(in, next);
      if (index == UNKNOWN) {
        readOther(in);
      } else {
        values[index] = readField(in, fields[index]);
        present[index] = true;
        next = index + 1;
      }
    }
    in.leave();
    fillAbsent(values, present, start);
    return shape.make(in, values);
  }

  private int indexOf(WireReader in, int next) {
    // Nearly all writers keep the order.
    if (next < fields.length && in.tokenIs(fields[next].nameBytes())) {
      return next;
    }
    return indexes.getOrDefault(in.token(), UNKNOWN);
  }

  private static @Nullable Object readField(WireReader in, RecordField field)
      throws WireFormatException {
    try {
      return field.codec().read(in);
    } catch (WireFormatException e) {
      throw e.within("." + field.name());
    }
  }

  private void readOther(WireReader in) throws WireFormatException {
    try {
      if (tag == null || !in.tokenIs(tagFieldBytes)) {
        in.skip();
        return;
      }
      String repeated = in.readString("str");
      if (!repeated.equals(tag.value())) {
        throw in.fault(Code.INVALID_VALUE, "Invalid value '%s'".formatted(repeated));
      }
    } catch (WireFormatException e) {
      throw e.within("." + in.token());
    }
  }

  private void fillAbsent(@Nullable Object[] values, boolean[] present, int start)
      throws WireFormatException {
    for (int i = 0; i < fields.length; i++) {
      if (!present[i]) {
        if (fields[i].isRequired()) {
          throw missing(Code.MISSING_FIELD, start, fields[i].name());
        }
        values[i] = fields[i].absent();
      }
    }
  }

  static WireFormatException missing(Code code, int start, String field) {
    String rule = "Object missing required field `%s`".formatted(field);
    return WireFormatException.at(code, start, rule).within("." + field);
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    Object struct = Objects.requireNonNull(value);
    @Nullable Object[] values = new @Nullable Object[fields.length];
    int written = 0;
    for (int i = 0; i < fields.length; i++) {
      values[i] = fields[i].get(struct);
      written += fields[i].isWritten(values[i]) ? 1 : 0;
    }
    out.packMapHeader(tag == null ? written : written + 1);
    if (tag != null) {
      out.packString(tag.field());
      out.packString(tag.value());
    }
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].isWritten(values[i])) {
        writeName(out, fields[i].nameBytes());
        fields[i].codec().write(out, values[i]);
      }
    }
  }

  private static void writeName(MessagePacker out, byte[] name) throws IOException {
    out.packRawStringHeader(name.length);
    out.writePayload(name);
  }
}

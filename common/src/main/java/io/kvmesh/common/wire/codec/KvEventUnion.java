package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.UnknownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePacker;
import org.msgpack.value.ValueType;

/** An event, read in either style and written in one. One of an unknown type is passed over. */
final class KvEventUnion implements ValueCodec {

  private static final String TYPE = "type";
  private static final byte[] TYPE_BYTES = TYPE.getBytes(StandardCharsets.UTF_8);

  private final Map<String, ValueCodec> arrays = new HashMap<>();
  private final Map<String, ValueCodec> maps = new HashMap<>();
  private final KvEvent.Style written;

  KvEventUnion(Schemas schemas, KvEvent.Style written) {
    this.written = written;
    for (Class<?> type : KvEvent.class.getPermittedSubclasses()) {
      if (type != UnknownEvent.class) {
        String name = type.getSimpleName();
        RecordShape shape = schemas.shape(type);
        arrays.put(name, new LooseTupleCodec(shape, name));
        maps.put(name, new StructCodec(shape, new StructCodec.Tag(TYPE, name)));
      }
    }
  }

  @Override
  public String expected() {
    return "object | array";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int start = in.offset();
    MessageFormat format = in.peek();
    ValueType kind = format.getValueType();
    if (kind != ValueType.ARRAY && kind != ValueType.MAP) {
      throw in.wrongType(expected(), format);
    }
    String type = kind == ValueType.ARRAY ? typeOfArray(in) : typeOfMap(in, start);
    in.rewind(start);
    ValueCodec member = (kind == ValueType.ARRAY ? arrays : maps).get(type);
    if (member == null) {
      in.skip();
      return new UnknownEvent(type);
    }
    return Objects.requireNonNull(member.read(in));
  }

  private static String typeOfArray(WireReader in) throws WireFormatException {
    if (in.enterArray("array") == 0) {
      throw in.fault(Code.MISSING_TYPE, "Expected `array` of at least length 1, got 0");
    }
    String type = readType(in);
    in.leave();
    return type;
  }

  private static String typeOfMap(WireReader in, int start) throws WireFormatException {
    int size = in.enterMap("object");
    for (int i = 0; i < size; i++) {
      in.readToken();
      if (in.tokenIs(TYPE_BYTES)) {
        String type = readType(in);
        in.leave();
        return type;
      }
      in.skip();
    }
    throw StructCodec.missing(Code.MISSING_TYPE, start, TYPE);
  }

  private static String readType(WireReader in) throws WireFormatException {
    try {
      return in.readString("str");
    } catch (WireFormatException e) {
      throw e.within("." + TYPE);
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    String type = Objects.requireNonNull(value).getClass().getSimpleName();
    ValueCodec member = (written == KvEvent.Style.ARRAY ? arrays : maps).get(type);
    if (member == null) {
      throw new IllegalArgumentException("An event of an unknown type can't be written: " + value);
    }
    member.write(out, value);
  }
}

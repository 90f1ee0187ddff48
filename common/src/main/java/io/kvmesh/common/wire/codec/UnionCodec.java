package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** One of several structs, told apart by a tag that may stand anywhere in the map. */
final class UnionCodec implements ValueCodec {

  private final String tagField;
  private final byte[] tagFieldBytes;
  private final Map<String, StructCodec> byTag = new HashMap<>();
  private final Map<Class<?>, StructCodec> byClass = new HashMap<>();
  private final Predicate<String> knownElsewhere;

  /** Without members so far. */
  UnionCodec(String tagField, Predicate<String> knownElsewhere) {
    this.tagField = tagField;
    this.tagFieldBytes = tagField.getBytes(StandardCharsets.UTF_8);
    this.knownElsewhere = knownElsewhere;
  }

  /** Adds a member; before the first use. */
  void add(String tag, Class<?> type, StructCodec codec) {
    byTag.put(tag, codec);
    byClass.put(type, codec);
  }

  @Override
  public String expected() {
    return "object";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int start = in.offset();
    int size = in.enterMap(expected());
    if (size > 0) {
      in.readToken();
      if (in.tokenIs(tagFieldBytes)) {
        return readTag(in).readFields(in, start, size - 1);
      }
    }
    in.rewind(start);
    StructCodec member = findTag(in, start);
    in.rewind(start);
    return member.read(in);
  }

  /** Looks for the tag behind other fields. */
  private StructCodec findTag(WireReader in, int start) throws WireFormatException {
    in.leave();
    int size = in.enterMap(expected());
    for (int i = 0; i < size; i++) {
      in.readToken();
      if (in.tokenIs(tagFieldBytes)) {
        StructCodec member = readTag(in);
        in.leave();
        return member;
      }
      try {
        in.skip();
      } catch (WireFormatException e) {
        throw e.within("." + in.token());
      }
    }
    throw StructCodec.missing(Code.MISSING_TYPE, start, tagField);
  }

  private StructCodec readTag(WireReader in) throws WireFormatException {
    try {
      String tag = in.readString("str");
      StructCodec member = byTag.get(tag);
      if (member != null) {
        return member;
      }
      Code code = knownElsewhere.test(tag) ? Code.UNEXPECTED_TYPE : Code.UNKNOWN_TYPE;
      throw in.fault(code, "Invalid value '%s'".formatted(tag));
    } catch (WireFormatException e) {
      throw e.within("." + tagField);
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    Object member = Objects.requireNonNull(value);
    Objects.requireNonNull(byClass.get(member.getClass())).write(out, member);
  }
}

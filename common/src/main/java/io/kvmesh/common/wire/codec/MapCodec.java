package io.kvmesh.common.wire.codec;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** A map of any size in its order; of a key that occurs twice the last value stays. */
final class MapCodec implements ValueCodec {

  private final ValueCodec key;
  private final ValueCodec value;

  MapCodec(ValueCodec key, ValueCodec value) {
    this.key = key;
    this.value = value;
  }

  @Override
  public String expected() {
    return "object";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int size = in.enterMap(expected());
    Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      readEntry(in, entries);
    }
    in.leave();
    return entries;
  }

  private void readEntry(WireReader in, Map<Object, @Nullable Object> entries)
      throws WireFormatException {
    Object name = "key";
    try {
      name = Objects.requireNonNull(key.read(in));
      entries.put(name, value.read(in));
    } catch (WireFormatException e) {
      throw e.within("[" + name + "]");
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object map) throws IOException {
    Map<?, ?> entries = (Map<?, ?>) Objects.requireNonNull(map);
    out.packMapHeader(entries.size());
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      key.write(out, entry.getKey());
      value.write(out, entry.getValue());
    }
  }
}

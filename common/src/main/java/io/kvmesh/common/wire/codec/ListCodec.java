package io.kvmesh.common.wire.codec;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** An array of any length, of one type. */
final class ListCodec implements ValueCodec {

  private final ValueCodec element;

  ListCodec(ValueCodec element) {
    this.element = element;
  }

  @Override
  public String expected() {
    return "array";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int size = in.enterArray(expected());
    @Nullable Object[] elements = new @Nullable Object[size];
    for (int i = 0; i < size; i++) {
      try {
        elements[i] = element.read(in);
      } catch (WireFormatException e) {
        throw e.within("[" + i + "]");
      }
    }
    in.leave();
    return Arrays.asList(elements);
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    List<?> elements = (List<?>) Objects.requireNonNull(value);
    out.packArrayHeader(elements.size());
    for (Object item : elements) {
      element.write(out, item);
    }
  }
}

package io.kvmesh.common.wire.codec;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/** Reads and writes the values of one type. Immutable, any thread. */
interface ValueCodec {

  /** The type's name in msgspec's error texts. */
  String expected();

  /** The value at the reader's position; null only where the type allows it. */
  @Nullable Object read(WireReader in) throws WireFormatException;

  /** Writes a value that {@link #read} could have given. */
  void write(MessagePacker out, @Nullable Object value) throws IOException;
}

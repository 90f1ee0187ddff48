package io.kvmesh.common.wire.codec;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePacker;

/** Bytes written by hand, for what no encoder of ours would write. */
final class Msgpack {

  private Msgpack() {}

  interface Script {
    void write(MessagePacker out) throws IOException;
  }

  static byte[] bytes(Script script) {
    try (MessageBufferPacker out = new MsgpackLibrary().newPacker()) {
      script.write(out);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.kvmesh.common.wire.codec;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/**
 * The only door to msgpack-core. The library chooses its buffers once, when it is first used: by
 * default those of sun.misc.Unsafe, at which the JDK prints warnings and which it will take away.
 * Who makes one of these first has chosen the others, unless the property was set by somebody else.
 */
final class MsgpackLibrary {

  private static final String UNIVERSAL_BUFFER = "msgpack.universal-buffer";

  MsgpackLibrary() {
    if (System.getProperty(UNIVERSAL_BUFFER) == null) {
      System.setProperty(UNIVERSAL_BUFFER, "true");
    }
  }

  MessageBufferPacker newPacker() {
    return MessagePack.newDefaultBufferPacker();
  }

  MessageUnpacker newUnpacker(byte[] bytes, int offset) {
    return MessagePack.newDefaultUnpacker(bytes, offset, bytes.length - offset);
  }
}

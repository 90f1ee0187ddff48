package io.kvmesh.common.wire.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.msgpack.core.MessagePack.Code;
import org.msgpack.core.MessagePacker;

/** Integers that a long can't hold. */
final class Integers {

  private Integers() {}

  /** Writes 64 bits as an unsigned integer of 2^63 and above. */
  static void packUint64(MessagePacker out, long bits) throws IOException {
    byte[] encoded = ByteBuffer.allocate(1 + Long.BYTES).put(Code.UINT64).putLong(bits).array();
    out.addPayload(encoded);
  }

  /** Writes a hash of 64 bits with the sign that it was written with. */
  static void packHash(MessagePacker out, long bits, boolean negative) throws IOException {
    if (bits < 0 && !negative) {
      packUint64(out, bits);
    } else {
      out.packLong(bits);
    }
  }
}

package io.kvmesh.common.hash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** SipHash-c-d of one text under a key of 128 bits. */
final class SipHash {

  private long v0;
  private long v1;
  private long v2;
  private long v3;

  SipHash(long k0, long k1) {
    this.v0 = k0 ^ 0x736f6d6570736575L;
    this.v1 = k1 ^ 0x646f72616e646f6dL;
    this.v2 = k0 ^ 0x6c7967656e657261L;
    this.v3 = k1 ^ 0x7465646279746573L;
  }

  /** Once, with so many rounds for each word and at the end. */
  long hash(byte[] text, int rounds, int lastRounds) {
    int words = text.length / Long.BYTES;
    ByteBuffer padded =
        ByteBuffer.allocate((words + 1) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).put(text);
    padded.put(padded.capacity() - 1, (byte) text.length);
    for (int i = 0; i <= words; i++) {
      long word = padded.getLong(i * Long.BYTES);
      v3 ^= word;
      mix(rounds);
      v0 ^= word;
    }
    v2 ^= 0xff;
    mix(lastRounds);
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void mix(int rounds) {
    for (int i = 0; i < rounds; i++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}

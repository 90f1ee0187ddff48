package io.kvmesh.common.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** XXH3 with 128 bits, seed 0 and the default secret, after the specification of xxHash 0.8. */
final class Xxh3 {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] SECRET =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  private static final int PRIME32_1 = 0x9E3779B1;
  private static final int PRIME32_2 = 0x85EBCA77;
  private static final int PRIME32_3 = 0xC2B2AE3D;
  private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME64_3 = 0x165667B19E3779F9L;
  private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
  private static final long PRIME_MX1 = 0x165667919E3779F9L;
  private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  private static final int STRIPE_BYTES = 64;
  private static final int STRIPES_PER_BLOCK = 16;
  private static final int LAST_STRIPE_SECRET = 192 - STRIPE_BYTES;

  private final byte[] bytes;
  private final int length;
  private long low;
  private long high;

  private Xxh3(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /** The 16 bytes of the hash of so many bytes, big-endian. */
  static byte[] digest128(byte[] bytes, int length) {
    Xxh3 hash = new Xxh3(bytes, length);
    hash.compute();
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(hash.high).putLong(hash.low).array();
  }

  private void compute() {
    if (length > 240) {
      computeLong();
    } else if (length > 128) {
      computeTo240();
    } else if (length > 16) {
      computeTo128();
    } else if (length > 8) {
      computeTo16();
    } else if (length > 3) {
      computeTo8();
    } else if (length > 0) {
      computeTo3();
    } else {
      low = avalanche64(secret(64) ^ secret(72));
      high = avalanche64(secret(80) ^ secret(88));
    }
  }

  private long at(int offset) {
    return (long) LONG.get(bytes, offset);
  }

  private long intAt(int offset) {
    return Integer.toUnsignedLong((int) INT.get(bytes, offset));
  }

  private static long secret(int offset) {
    return (long) LONG.get(SECRET, offset);
  }

  private static long secretInt(int offset) {
    return Integer.toUnsignedLong((int) INT.get(SECRET, offset));
  }

  private void computeTo3() {
    int first = bytes[0] & 0xff;
    int middle = bytes[length >> 1] & 0xff;
    int last = bytes[length - 1] & 0xff;
    int combined = (first << 16) | (middle << 24) | last | (length << 8);
    int swapped = Integer.rotateLeft(Integer.reverseBytes(combined), 13);
    low = avalanche64(Integer.toUnsignedLong(combined) ^ secretInt(0) ^ secretInt(4));
    high = avalanche64(Integer.toUnsignedLong(swapped) ^ secretInt(8) ^ secretInt(12));
  }

  private void computeTo8() {
    long input = intAt(0) + (intAt(length - 4) << 32);
    long keyed = input ^ secret(16) ^ secret(24);
    long factor = PRIME64_1 + ((long) length << 2);
    low = keyed * factor;
    high = Math.unsignedMultiplyHigh(keyed, factor) + (low << 1);
    low ^= high >>> 3;
    low = (low ^ (low >>> 35)) * PRIME_MX2;
    low ^= low >>> 28;
    high = avalanche(high);
  }

  private void computeTo16() {
    long inputHigh = at(length - 8);
    long keyed = at(0) ^ inputHigh ^ secret(32) ^ secret(40);
    long middleLow = keyed * PRIME64_1 + ((long) (length - 1) << 54);
    long middleHigh = Math.unsignedMultiplyHigh(keyed, PRIME64_1);
    inputHigh ^= secret(48) ^ secret(56);
    middleHigh += inputHigh + (inputHigh & 0xffff_ffffL) * (Integer.toUnsignedLong(PRIME32_2) - 1);
    middleLow ^= Long.reverseBytes(middleHigh);
    low = avalanche(middleLow * PRIME64_2);
    high = avalanche(Math.unsignedMultiplyHigh(middleLow, PRIME64_2) + middleHigh * PRIME64_2);
  }

  private void computeTo128() {
    low = length * PRIME64_1;
    for (int i = (length - 1) / 32; i >= 0; i--) {
      mix32(16 * i, length - 16 * (i + 1), 32 * i);
    }
    finishShort();
  }

  private void computeTo240() {
    low = length * PRIME64_1;
    for (int i = 0; i < 128; i += 32) {
      mix32(i, i + 16, i);
    }
    low = avalanche(low);
    high = avalanche(high);
    for (int i = 128; i + 32 <= length; i += 32) {
      mix32(i, i + 16, i - 128 + 3);
    }
    mix32(length - 16, length - 32, 136 - 17 - 16);
    finishShort();
  }

  private void mix32(int one, int other, int secret) {
    low = (low + mix16(one, secret)) ^ (at(other) + at(other + 8));
    high = (high + mix16(other, secret + 16)) ^ (at(one) + at(one + 8));
  }

  private long mix16(int offset, int secret) {
    return fold(at(offset) ^ secret(secret), at(offset + 8) ^ secret(secret + 8));
  }

  private void finishShort() {
    long sum = low + high;
    long mixed = low * PRIME64_1 + high * PRIME64_4 + length * PRIME64_2;
    low = avalanche(sum);
    high = -avalanche(mixed);
  }

  private void computeLong() {
    long[] lanes = {
      Integer.toUnsignedLong(PRIME32_3),
      PRIME64_1,
      PRIME64_2,
      PRIME64_3,
      PRIME64_4,
      Integer.toUnsignedLong(PRIME32_2),
      PRIME64_5,
      Integer.toUnsignedLong(PRIME32_1)
    };
    int stripes = (length - 1) / STRIPE_BYTES;
    for (int i = 0; i < stripes; i++) {
      accumulate(lanes, i * STRIPE_BYTES, i % STRIPES_PER_BLOCK * 8);
      if (i % STRIPES_PER_BLOCK == STRIPES_PER_BLOCK - 1) {
        scramble(lanes);
      }
    }
    accumulate(lanes, length - STRIPE_BYTES, LAST_STRIPE_SECRET - 7);
    low = merge(lanes, 11, length * PRIME64_1);
    high = merge(lanes, LAST_STRIPE_SECRET - 11, ~(length * PRIME64_2));
  }

  private void accumulate(long[] lanes, int offset, int secret) {
    for (int i = 0; i < lanes.length; i++) {
      long data = at(offset + 8 * i);
      long keyed = data ^ secret(secret + 8 * i);
      lanes[i ^ 1] += data;
      lanes[i] += (keyed & 0xffff_ffffL) * (keyed >>> 32);
    }
  }

  private static void scramble(long[] lanes) {
    for (int i = 0; i < lanes.length; i++) {
      long lane = lanes[i] ^ (lanes[i] >>> 47) ^ secret(LAST_STRIPE_SECRET + 8 * i);
      lanes[i] = lane * Integer.toUnsignedLong(PRIME32_1);
    }
  }

  private static long merge(long[] lanes, int secret, long start) {
    long result = start;
    for (int i = 0; i < lanes.length; i += 2) {
      result += fold(lanes[i] ^ secret(secret + 8 * i), lanes[i + 1] ^ secret(secret + 8 * i + 8));
    }
    return avalanche(result);
  }

  private static long fold(long one, long other) {
    return (one * other) ^ Math.unsignedMultiplyHigh(one, other);
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ (hash >>> 37)) * PRIME_MX1;
    return mixed ^ (mixed >>> 32);
  }

  private static long avalanche64(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * PRIME64_2;
    mixed = (mixed ^ (mixed >>> 29)) * PRIME64_3;
    return mixed ^ (mixed >>> 32);
  }
}

package io.kvmesh.common.hash;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Canonical CBOR: the shortest heads, arrays of known length. RFC 8949, section 4.2. */
final class CborWriter implements ValueWriter {

  private static final int UNSIGNED = 0;
  private static final int NEGATIVE = 1;
  private static final int BYTES = 2;
  private static final int TEXT = 3;
  private static final int ARRAY = 4;
  private static final byte NULL = (byte) 0xf6;
  private static final int OTHER_BYTES = 512;
  private static final int MAX_NUMBER_BYTES = 1 + Long.BYTES;

  private final ByteBuffer out;

  CborWriter(int maxNumbers) {
    this.out =
        ByteBuffer.allocate(
            Math.addExact(OTHER_BYTES, Math.multiplyExact(maxNumbers, MAX_NUMBER_BYTES)));
  }

  private void head(int major, long value) {
    int type = major << 5;
    if (value < 0 || value > 0xffff_ffffL) {
      out.put((byte) (type | 27)).putLong(value);
    } else if (value > 0xffff) {
      out.put((byte) (type | 26)).putInt((int) value);
    } else if (value > 0xff) {
      out.put((byte) (type | 25)).putShort((short) value);
    } else if (value > 23) {
      out.put((byte) (type | 24)).put((byte) value);
    } else {
      out.put((byte) (type | value));
    }
  }

  @Override
  public void start() {
    out.clear();
  }

  @Override
  public void startTuple(int elements) {
    head(ARRAY, elements);
  }

  @Override
  public void endTuple(int elements) {
    // Its length stands before it.
  }

  @Override
  public void unsigned(long bits) {
    head(UNSIGNED, bits);
  }

  /** A number below 0. */
  void negative(long value) {
    head(NEGATIVE, ~value);
  }

  @Override
  public void bytes(byte[] value) {
    head(BYTES, value.length);
    out.put(value);
  }

  @Override
  public void text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    head(TEXT, utf8.length);
    out.put(utf8);
  }

  @Override
  public void none() {
    out.put(NULL);
  }

  @Override
  public int finish() {
    return out.position();
  }

  @Override
  public byte[] buffer() {
    return out.array();
  }
}

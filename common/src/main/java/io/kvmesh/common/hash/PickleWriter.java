package io.kvmesh.common.hash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Pickle, protocol 5, as CPython's own pickler writes it: the shortest opcodes, each tuple, text
 * and bytes memoised, frames that end with the first value beyond 64 KiB. Nothing is written twice
 * by reference: equal values here are never one object.
 */
final class PickleWriter implements ValueWriter {

  private static final byte PROTO = (byte) 0x80;
  private static final byte VERSION = 5;
  private static final byte FRAME = (byte) 0x95;
  private static final byte MARK = '(';
  private static final byte NONE = 'N';
  private static final byte EMPTY_TUPLE = ')';
  private static final byte TUPLE = 't';
  private static final byte TUPLE_1 = (byte) 0x85;
  private static final byte MEMOIZE = (byte) 0x94;
  private static final byte BININT = 'J';
  private static final byte BININT_1 = 'K';
  private static final byte BININT_2 = 'M';
  private static final byte LONG_1 = (byte) 0x8a;
  private static final byte SHORT_BINBYTES = 'C';
  private static final byte SHORT_BINUNICODE = (byte) 0x8c;
  private static final byte STOP = '.';

  private static final int SMALL_TUPLE = 3;
  private static final int FRAME_TARGET_BYTES = 64 << 10;
  private static final int OTHER_BYTES = 512;
  // Opcode, length, nine bytes of a number without sign; and a share of the frames' heads.
  private static final int MAX_NUMBER_BYTES = 12;

  private final ByteBuffer out;
  private int frameStart;

  PickleWriter(int maxNumbers) {
    this.out =
        ByteBuffer.allocate(
                Math.addExact(OTHER_BYTES, Math.multiplyExact(maxNumbers, MAX_NUMBER_BYTES)))
            .order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void start() {
    out.clear();
    out.put(PROTO).put(VERSION);
    openFrame();
  }

  private void openFrame() {
    out.put(FRAME).putLong(0);
    frameStart = out.position();
  }

  private void closeFrame() {
    out.putLong(frameStart - Long.BYTES, out.position() - frameStart);
  }

  /** Where a value begins, the pickler looks whether the frame is long enough. */
  private void beginValue() {
    if (out.position() - frameStart >= FRAME_TARGET_BYTES) {
      closeFrame();
      openFrame();
    }
  }

  @Override
  public void startTuple(int elements) {
    beginValue();
    if (elements > SMALL_TUPLE) {
      out.put(MARK);
    }
  }

  @Override
  public void endTuple(int elements) {
    if (elements == 0) {
      out.put(EMPTY_TUPLE);
      return;
    }
    out.put(elements > SMALL_TUPLE ? TUPLE : (byte) (TUPLE_1 + elements - 1));
    out.put(MEMOIZE);
  }

  @Override
  public void unsigned(long bits) {
    beginValue();
    if (bits < 0 || bits > Integer.MAX_VALUE) {
      putLong(bits);
    } else if (bits > 0xffff) {
      out.put(BININT).putInt((int) bits);
    } else if (bits > 0xff) {
      out.put(BININT_2).putShort((short) bits);
    } else {
      out.put(BININT_1).put((byte) bits);
    }
  }

  /** The fewest bytes of a two's complement, which for a number of 8n bits are n + 1. */
  private void putLong(long bits) {
    int length = (Long.SIZE - Long.numberOfLeadingZeros(bits)) / Byte.SIZE + 1;
    out.put(LONG_1).put((byte) length);
    for (int i = 0; i < length; i++) {
      out.put(i < Long.BYTES ? (byte) (bits >>> (i * Byte.SIZE)) : 0);
    }
  }

  @Override
  public void bytes(byte[] value) {
    beginValue();
    out.put(SHORT_BINBYTES).put((byte) value.length).put(value).put(MEMOIZE);
  }

  @Override
  public void text(String value) {
    beginValue();
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    out.put(SHORT_BINUNICODE).put((byte) utf8.length).put(utf8).put(MEMOIZE);
  }

  @Override
  public void none() {
    beginValue();
    out.put(NONE);
  }

  @Override
  public int finish() {
    out.put(STOP);
    closeFrame();
    return out.position();
  }

  @Override
  public byte[] buffer() {
    return out.array();
  }
}

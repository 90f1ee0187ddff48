package io.kvmesh.common.wire.codec;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.OpType;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePacker;

/**
 * Operations as an array of maps. What nearly all writers write, {@code {"op_type": ..., "key":
 * ..., "seq_num": ...}} in this order, is compared eight bytes at a time and makes no object; any
 * other legal encoding, and every fault, is left to the codec of the record.
 */
final class OperationsCodec implements ValueCodec {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, BIG_ENDIAN);

  /** A map of three, then {@code op_typ}. */
  private static final long HEAD = 0x83a7_6f70_5f74_7970L;

  /** Letter e, {@code admit}, and the beginning of a text of three. */
  private static final long ADMIT = 0x65a5_6164_6d69_74a3L;

  /** Letter e, {@code evict}, and the beginning of a text of three. */
  private static final long EVICT = 0x65a5_6576_6963_74a3L;

  private static final int KEY = 0x6b_6579;

  /** A text of seven: {@code seq_num}. */
  private static final long SEQUENCE = 0xa773_6571_5f6e_756dL;

  private static final int KEY_AT = 2 * Long.BYTES;
  private static final int HASH_AT = KEY_AT + 3;
  private static final int LEAST_BYTES = HASH_AT + 1 + Long.BYTES + 1;

  private final ValueCodec single;

  OperationsCodec(ValueCodec single) {
    this.single = single;
  }

  @Override
  public String expected() {
    return "array";
  }

  @Override
  public Object read(WireReader in) throws WireFormatException {
    int size = in.enterArray(expected());
    boolean quick = in.mayEnter();
    Cursor cursor = new Cursor(in.bytes(), in.offset());
    KVOperations.Builder operations =
        new KVOperations.Builder(Math.min(size, cursor.left() / LEAST_BYTES + 1));
    for (int i = 0; i < size; i++) {
      if (!quick || !cursor.read(operations)) {
        in.rewind(cursor.at);
        add(operations, readSingle(in, i));
        cursor.at = in.offset();
      }
    }
    in.rewind(cursor.at);
    in.leave();
    return operations.build();
  }

  private KVOpEvent readSingle(WireReader in, int index) throws WireFormatException {
    try {
      return (KVOpEvent) Objects.requireNonNull(single.read(in));
    } catch (WireFormatException e) {
      throw e.within("[" + index + "]");
    }
  }

  private static void add(KVOperations.Builder operations, KVOpEvent event) {
    operations.add(
        event.opType() == OpType.ADMIT,
        event.key().bits(),
        event.key().isNegative(),
        event.seqNum());
  }

  /** A place in the bytes. */
  private static final class Cursor {

    private final byte[] bytes;
    private int at;

    /** End of the integer read last, its bits, and whether a long can't tell them from others. */
    private int end;

    private long integer;
    private boolean uint64;

    Cursor(byte[] bytes, int at) {
      this.bytes = bytes;
      this.at = at;
    }

    int left() {
      return bytes.length - at;
    }

    /** Adds the operation here and goes on; false, without moving, if it is written otherwise. */
    boolean read(KVOperations.Builder operations) {
      if (left() < LEAST_BYTES || (long) LONGS.get(bytes, at) != HEAD) {
        return false;
      }
      long type = (long) LONGS.get(bytes, at + Long.BYTES);
      if ((type != ADMIT && type != EVICT)
          || (int) INTS.get(bytes, at + KEY_AT) >>> Byte.SIZE != KEY
          || !readInteger(at + HASH_AT)) {
        return false;
      }
      long bits = integer;
      boolean negative = bits < 0 && !uint64;
      if (end + Long.BYTES >= bytes.length
          || (long) LONGS.get(bytes, end) != SEQUENCE
          || !readInteger(end + Long.BYTES)
          || (uint64 && integer < 0)) {
        return false;
      }
      operations.add(type == ADMIT, bits, negative, integer);
      at = end;
      return true;
    }

    /** Reads what starts there, within the bytes; false if it is no integer or not all there. */
    private boolean readInteger(int start) {
      byte head = bytes[start];
      end = start + 1 + sizeOf(head);
      if (end > bytes.length || end == start) {
        return false;
      }
      uint64 = head == (byte) 0xcf;
      int from = start + 1;
      integer =
          switch (head) {
            case (byte) 0xcc -> bytes[from] & 0xff;
            case (byte) 0xcd -> (short) SHORTS.get(bytes, from) & 0xffff;
            case (byte) 0xce -> (int) INTS.get(bytes, from) & 0xffff_ffffL;
            case (byte) 0xcf, (byte) 0xd3 -> (long) LONGS.get(bytes, from);
            case (byte) 0xd0 -> bytes[from];
            case (byte) 0xd1 -> (short) SHORTS.get(bytes, from);
            case (byte) 0xd2 -> (int) INTS.get(bytes, from);
            default -> head;
          };
      return true;
    }

    /** Bytes after an integer's first; −1 if it begins no integer. */
    private static int sizeOf(byte head) {
      return switch (head) {
        case (byte) 0xcc, (byte) 0xd0 -> 1;
        case (byte) 0xcd, (byte) 0xd1 -> 2;
        case (byte) 0xce, (byte) 0xd2 -> 4;
        case (byte) 0xcf, (byte) 0xd3 -> 8;
        default -> head >= -32 ? 0 : -1;
      };
    }
  }

  @Override
  public void write(MessagePacker out, @Nullable Object value) throws IOException {
    KVOperations operations = (KVOperations) Objects.requireNonNull(value);
    out.packArrayHeader(operations.size());
    byte[] start = new byte[HASH_AT];
    byte[] middle = new byte[Long.BYTES];
    LONGS.set(start, 0, HEAD);
    LONGS.set(middle, 0, SEQUENCE);
    for (int i = 0; i < operations.size(); i++) {
      LONGS.set(start, Long.BYTES, operations.admits(i) ? ADMIT : EVICT);
      start[KEY_AT] = 'k';
      start[KEY_AT + 1] = 'e';
      start[KEY_AT + 2] = 'y';
      out.writePayload(start);
      Integers.packHash(out, operations.hashBits(i), operations.isNegative(i));
      out.writePayload(middle);
      out.packLong(operations.sequence(i));
    }
  }
}

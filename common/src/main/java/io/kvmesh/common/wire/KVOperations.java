package io.kvmesh.common.wire;

import io.kvmesh.common.key.ChunkHash;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The operations of a batch, in order: a list that keeps its elements in primitive arrays, for
 * those who read a million of them a second. Immutable.
 */
public final class KVOperations extends AbstractList<KVOpEvent> implements RandomAccess {

  private static final byte ADMIT = 1;
  private static final byte NEGATIVE = 2;

  private final long[] hashBits;
  private final long[] sequences;
  private final byte[] flags;

  private KVOperations(long[] hashBits, long[] sequences, byte[] flags) {
    this.hashBits = hashBits;
    this.sequences = sequences;
    this.flags = flags;
  }

  /**
   * The same operations.
   *
   * @throws IllegalArgumentException if a hash has more than 64 bits: none of a batch may
   */
  public static KVOperations of(List<KVOpEvent> operations) {
    if (operations instanceof KVOperations packed) {
      return packed;
    }
    Builder packed = new Builder(operations.size());
    for (KVOpEvent operation : operations) {
      ChunkHash hash = operation.key();
      if (hash.isWide()) {
        throw new IllegalArgumentException(
            "Only hashes of 64 bits go over this protocol, got " + hash);
      }
      packed.add(
          operation.opType() == OpType.ADMIT, hash.bits(), hash.isNegative(), operation.seqNum());
    }
    return packed.build();
  }

  @Override
  public int size() {
    return flags.length;
  }

  @Override
  public KVOpEvent get(int index) {
    return new KVOpEvent(
        admits(index) ? OpType.ADMIT : OpType.EVICT,
        isNegative(index)
            ? ChunkHash.ofSigned(hashBits[index])
            : ChunkHash.ofUnsigned(hashBits[index]),
        sequences[index]);
  }

  /** Whether the operation is an admit; else it is an evict. */
  public boolean admits(int index) {
    return (flags[index] & ADMIT) != 0;
  }

  /** {@link ChunkHash#bits} of the operation's chunk. */
  public long hashBits(int index) {
    return hashBits[index];
  }

  /** Whether the hash was written as a negative number. */
  public boolean isNegative(int index) {
    return (flags[index] & NEGATIVE) != 0;
  }

  /** The operation's number. */
  public long sequence(int index) {
    return sequences[index];
  }

  @Override
  public KVOperations subList(int from, int to) {
    Objects.checkFromToIndex(from, to, size());
    return to - from == size()
        ? this
        : new KVOperations(
            Arrays.copyOfRange(hashBits, from, to),
            Arrays.copyOfRange(sequences, from, to),
            Arrays.copyOfRange(flags, from, to));
  }

  /** Collects operations. One thread. */
  public static final class Builder {

    private long[] hashBits;
    private long[] sequences;
    private byte[] flags;
    private int size;

    /** Has room for so many; takes more. */
    public Builder(int expected) {
      this.hashBits = new long[expected];
      this.sequences = new long[expected];
      this.flags = new byte[expected];
    }

    /** Adds an operation. */
    public void add(boolean admit, long bits, boolean negative, long sequence) {
      if (size == flags.length) {
        resize(Math.max(16, 2 * size));
      }
      hashBits[size] = bits;
      sequences[size] = sequence;
      flags[size] = (byte) ((admit ? ADMIT : 0) | (negative ? NEGATIVE : 0));
      size++;
    }

    private void resize(int length) {
      hashBits = Arrays.copyOf(hashBits, length);
      sequences = Arrays.copyOf(sequences, length);
      flags = Arrays.copyOf(flags, length);
    }

    /** What has been added. The builder is of no more use. */
    public KVOperations build() {
      if (size < flags.length) {
        resize(size);
      }
      return new KVOperations(hashBits, sequences, flags);
    }
  }
}

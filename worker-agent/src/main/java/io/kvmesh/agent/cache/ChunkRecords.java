package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkHash;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the cache knows of each chunk, in primitive arrays by slot. A slot belongs to one chunk from
 * its commit until it is neither resident nor held.
 *
 * <pre>
 *   identity[2 * slot]      the 64 bits of the hash
 *   identity[2 * slot + 1]  63..37 keyspace number | 36..32 flags | 31..0 number of holds
 * </pre>
 *
 * What a lookup needs of a cold record thus lies side by side. Guarded by the cache's lock, but for
 * place, bytes, tokens, checksum and form of a chunk that is held: these don't change (the place of
 * a compressed body does, which no lease reads, and its form may be told anew), and any thread that
 * was handed the lease may read them. Hash bits may be touched without the lock, and then be
 * anything.
 */
final class ChunkRecords {

  private static final long HOLDS_MASK = 0xffff_ffffL;
  private static final long RESIDENT = 1L << 32;
  private static final long SET_ASIDE = 1L << 33;
  private static final long NEGATIVE = 1L << 34;
  private static final long WIDE = 1L << 35;
  private static final long PACKED = 1L << 36;
  private static final int KEYSPACE_SHIFT = 37;

  private final long[] identity;
  private final long[] checksums;
  private final int[] places;
  private final int[] bytes;
  private final int[] tokens;

  /** Of the slots with a wide hash, which needs more than its 64 bits. */
  private final Map<Integer, ChunkHash> wideHashes = new HashMap<>();

  /** Of the slots whose form was told; none before the first. */
  private @Nullable BodyForm[] forms = {};

  /** A stack of the slots that no chunk has. */
  private final int[] unused;

  private int unusedCount;

  ChunkRecords(int slots) {
    identity = new long[Math.multiplyExact(2, slots)];
    checksums = new long[slots];
    places = new int[slots];
    bytes = new int[slots];
    tokens = new int[slots];
    unused = new int[slots];
    unusedCount = slots;
    Arrays.setAll(unused, i -> slots - 1 - i);
  }

  int slots() {
    return unused.length;
  }

  /** Takes a slot for a chunk that becomes resident. */
  int add(int keyspaceId, PendingChunk chunk, int place, long checksum) {
    int slot = unused[--unusedCount];
    ChunkHash hash = chunk.key().hash();
    long flags = RESIDENT | (hash.isNegative() ? NEGATIVE : 0);
    if (hash.isWide()) {
      flags |= WIDE;
      wideHashes.put(slot, hash);
    }
    identity[2 * slot] = hash.bits();
    identity[2 * slot + 1] = (long) keyspaceId << KEYSPACE_SHIFT | flags;
    checksums[slot] = checksum;
    places[slot] = place;
    bytes[slot] = chunk.bytes();
    tokens[slot] = chunk.tokens();
    setForm(slot, chunk.form());
    return slot;
  }

  /** How the body's values lie is told, or told anew. */
  void setForm(int slot, @Nullable BodyForm form) {
    if (form != null && forms.length == 0) {
      forms = new BodyForm[slots()];
    }
    if (forms.length > 0) {
      forms[slot] = form;
    }
  }

  /** Slots that no chunk has. */
  int unused() {
    return unusedCount;
  }

  /** Gives the slot back. */
  void drop(int slot) {
    if (isWide(slot)) {
      wideHashes.remove(slot);
    }
    identity[2 * slot + 1] = 0;
    unused[unusedCount++] = slot;
  }

  /** Whether the slot holds a chunk of that keyspace with these 64 bits. */
  boolean is(int slot, int keyspaceId, long hashBits) {
    return identity[2 * slot] == hashBits && keyspaceId(slot) == keyspaceId;
  }

  /** As above, for a slot that the table may not name. */
  boolean isResident(int slot, int keyspaceId, long hashBits) {
    long state = identity[2 * slot + 1];
    return identity[2 * slot] == hashBits
        && (state & RESIDENT) != 0
        && (int) (state >>> KEYSPACE_SHIFT) == keyspaceId;
  }

  /** Whether the slot, whose hash has the same 64 bits, has the whole hash. */
  boolean hasHash(int slot, ChunkHash hash) {
    return (!isWide(slot) && !hash.isWide()) || hash(slot).equals(hash);
  }

  /** One more hold; answers how many there are. */
  int hold(int slot) {
    return (int) ++identity[2 * slot + 1];
  }

  /** One hold less; answers how many remain. */
  int letGo(int slot) {
    return (int) --identity[2 * slot + 1];
  }

  boolean isHeld(int slot) {
    return (identity[2 * slot + 1] & HOLDS_MASK) != 0;
  }

  boolean isResident(int slot) {
    return (identity[2 * slot + 1] & RESIDENT) != 0;
  }

  /** How many holds there are. */
  int holds(int slot) {
    return (int) identity[2 * slot + 1];
  }

  /** Whether the body lies among the compressed ones. */
  boolean isPacked(int slot) {
    return (identity[2 * slot + 1] & PACKED) != 0;
  }

  /** The body lies elsewhere now: nobody may be reading it where it was. */
  void moveTo(int slot, int place, boolean packed) {
    places[slot] = place;
    identity[2 * slot + 1] = (identity[2 * slot + 1] & ~PACKED) | (packed ? PACKED : 0);
  }

  /** The chunk is no longer resident. */
  void detach(int slot) {
    identity[2 * slot + 1] &= ~(RESIDENT | SET_ASIDE);
  }

  /** The policy has set the slot aside because it is held. */
  void setAside(int slot) {
    identity[2 * slot + 1] |= SET_ASIDE;
  }

  /** Forgets that the slot was set aside; answers whether it was. */
  boolean clearSetAside(int slot) {
    boolean was = (identity[2 * slot + 1] & SET_ASIDE) != 0;
    identity[2 * slot + 1] &= ~SET_ASIDE;
    return was;
  }

  int keyspaceId(int slot) {
    return (int) (identity[2 * slot + 1] >>> KEYSPACE_SHIFT);
  }

  long hashBits(int slot) {
    return identity[2 * slot];
  }

  /** The hash as it was written. */
  ChunkHash hash(int slot) {
    ChunkHash wide = isWide(slot) ? wideHashes.get(slot) : null;
    if (wide != null) {
      return wide;
    }
    return narrow(hashBits(slot), isNegative(slot));
  }

  /** A hash of no more than 64 bits, as it was written. */
  static ChunkHash narrow(long bits, boolean negative) {
    return negative ? ChunkHash.ofSigned(bits) : ChunkHash.ofUnsigned(bits);
  }

  /** Whether the hash was written with a sign. */
  boolean isNegative(int slot) {
    return (identity[2 * slot + 1] & NEGATIVE) != 0;
  }

  /** Whether the hash is more than its 64 bits. */
  boolean isWide(int slot) {
    return (identity[2 * slot + 1] & WIDE) != 0;
  }

  int place(int slot) {
    return places[slot];
  }

  int bytes(int slot) {
    return bytes[slot];
  }

  int tokens(int slot) {
    return tokens[slot];
  }

  long checksum(int slot) {
    return checksums[slot];
  }

  /** How the body's values lie; null = not told. */
  @Nullable BodyForm form(int slot) {
    BodyForm[] told = forms;
    return told.length == 0 ? null : told[slot];
  }
}

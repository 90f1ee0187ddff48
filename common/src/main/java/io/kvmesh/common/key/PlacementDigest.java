package io.kvmesh.common.key;

/**
 * An order-free digest of a set of chunks: the wrapping sum of {@link #mix} over its members.
 * Adding a chunk adds its mix, removing it subtracts it; two views that hold the same chunks have
 * the same sum. The functions are part of the log's format: they are the same in every version.
 */
public final class PlacementDigest {

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private PlacementDigest() {}

  /** A chunk's share of the sum, from its keyspace's digest and the bits of its hash. */
  public static long mix(long keyspaceDigest, long hashBits) {
    return finish(keyspaceDigest ^ finish(hashBits + GOLDEN));
  }

  /** FNV-1a of the bytes, finished as below. */
  static long ofText(byte[] text) {
    long hash = FNV_OFFSET;
    for (byte b : text) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    return finish(hash);
  }

  /** The finalizer of MurmurHash3: every bit of the input moves half of the output. */
  private static long finish(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}

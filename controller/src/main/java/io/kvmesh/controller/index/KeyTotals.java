package io.kvmesh.controller.index;

/**
 * Size of a set of chunks.
 *
 * @param digest wrapping sum of the chunks' mixes; see PlacementDigest
 */
public record KeyTotals(long count, long digest) {

  /** Of no chunk. */
  public static final KeyTotals NONE = new KeyTotals(0, 0);

  /** Of both sets, which have no chunk in common. */
  public KeyTotals plus(KeyTotals other) {
    return new KeyTotals(count + other.count, digest + other.digest);
  }
}

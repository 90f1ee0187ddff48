package io.kvmesh.common.wire.control;

/**
 * What became of a chunk that was to be compressed or decompressed. On the wire the name in lower
 * case.
 */
public enum PackOutcome {
  /** It is shorter now. */
  COMPRESSED,
  /** It is as it was stored. */
  DECOMPRESSED,
  /** It was already as was asked. */
  ALREADY,
  /** It would not have become shorter by a tenth, and stays as it is. */
  TOO_LITTLE,
  /** Somebody holds it, by a lease or a pin; it stays as it is. */
  IN_USE,
  /** There is no room for it in the other form; it stays as it is. */
  NO_ROOM,
  /** It isn't here. */
  GONE,
  /** The command ended before its turn; it stays as it is. */
  UNTRIED
}

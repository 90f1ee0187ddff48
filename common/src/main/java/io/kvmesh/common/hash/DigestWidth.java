package io.kvmesh.common.hash;

/** What of a digest is the hash, and the prefix of the next one. */
enum DigestWidth {
  /** The first 8 bytes, as a number without sign. */
  FIRST_8,
  /** The last 8 bytes, as a number without sign. */
  LAST_8,
  /** All bytes, as bytes. */
  RAW
}

package io.kvmesh.common.hash;

/** What is hashed after the prefix and the tokens. */
enum ThirdElement {
  /** An empty tuple: no extra keys. */
  EMPTY_TUPLE,
  /** None, as LMCache up to 0.3.12 does. */
  NONE,
  /** Nothing: the tuple has two elements. */
  ABSENT
}

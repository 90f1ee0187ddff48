package io.kvmesh.common.hash;

/** Writes Python values in one of the forms whose digests are hashes. One thread. */
interface ValueWriter {

  /** Begins anew. */
  void start();

  /** Opens a tuple of so many elements, which follow. */
  void startTuple(int elements);

  /** Closes it. */
  void endTuple(int elements);

  /** A number of 64 bits without sign. */
  void unsigned(long bits);

  /** Bytes, at most 255. */
  void bytes(byte[] value);

  /** A text of at most 255 bytes. */
  void text(String value);

  /** None. */
  void none();

  /** Ends the value; its length in bytes from the start of the buffer. */
  int finish();

  /** Holds the value after {@link #finish}, until the next start. */
  byte[] buffer();
}

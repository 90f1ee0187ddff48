package io.kvmesh.benchmarks;

import java.io.IOException;

/** One way to move the same chunks from one place to another. */
interface Contender extends AutoCloseable {

  String name();

  /** Moves all chunks once; waits until they are there and checked as far as this way checks. */
  void pull() throws IOException, InterruptedException;

  /** What has to be done between two pulls and isn't measured. */
  default void reset() throws IOException, InterruptedException {}

  @Override
  void close() throws IOException;
}

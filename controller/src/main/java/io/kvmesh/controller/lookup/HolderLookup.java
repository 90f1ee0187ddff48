package io.kvmesh.controller.lookup;

/** Answers who holds the longest prefix of a list of chunks. Any thread. */
@FunctionalInterface
public interface HolderLookup {

  /**
   * @param hashBits hashes of the chunks in order, as {@code ChunkHash.bits()}; empty is a miss
   */
  LookupAnswer find(Requester requester, long[] hashBits);
}

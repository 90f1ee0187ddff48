package io.kvmesh.common.hash;

import io.kvmesh.common.key.ChunkHash;

/** The hashes of one prompt, chunk after chunk. One thread. */
interface HashChain {

  /** The hash of the next chunk: the tokens from an index, inclusive, to another, exclusive. */
  ChunkHash next(long[] tokens, int from, int to);
}

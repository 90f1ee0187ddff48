package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkLease;

/**
 * Chunks that a lease of the cache holds for a client.
 *
 * @param lease to be closed once
 * @param chunks how many
 * @param bytes of their bodies
 */
record Held(ChunkLease lease, int chunks, long bytes) implements Kept {

  static Held of(ChunkLease lease) {
    long bytes = 0;
    for (int i = 0; i < lease.size(); i++) {
      bytes += lease.bytes(i);
    }
    return new Held(lease, lease.size(), bytes);
  }

  @Override
  public void giveBack() {
    lease.close();
  }
}

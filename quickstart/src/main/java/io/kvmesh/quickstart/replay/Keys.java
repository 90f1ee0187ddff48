package io.kvmesh.quickstart.replay;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.quickstart.body.ChunkBodies;
import io.kvmesh.quickstart.workload.Prompt;
import java.util.ArrayList;
import java.util.List;

/** Chunk keys for the blocks of a prompt: block numbers spread over all 64 bits of a hash. */
public final class Keys {

  private final Keyspace keyspace;

  public Keys(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  public List<ChunkKey> of(Prompt prompt) {
    List<ChunkKey> keys = new ArrayList<>(prompt.size());
    for (int i = 0; i < prompt.size(); i++) {
      keys.add(new ChunkKey(keyspace, ChunkHash.ofUnsigned(ChunkBodies.mix(prompt.block(i)))));
    }
    return keys;
  }
}

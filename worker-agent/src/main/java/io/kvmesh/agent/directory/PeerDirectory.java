package io.kvmesh.agent.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import java.time.Duration;
import java.util.List;

/** Knows which peer holds what. */
public interface PeerDirectory {

  /**
   * Who holds the longest prefix of these chunks? Any thread; the caller waits.
   *
   * @param atMost how long
   */
  LookupOutcome lookup(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException;
}

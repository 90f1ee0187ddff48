package io.kvmesh.agent.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import java.time.Duration;
import java.util.List;

/** Knows who could take the chunks of an agent that is going. */
@FunctionalInterface
public interface DrainAdvisor {

  /**
   * Who could, and which of these need not go? Any thread; the caller waits.
   *
   * @param atMost how long
   */
  DrainAdvice drain(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException;
}

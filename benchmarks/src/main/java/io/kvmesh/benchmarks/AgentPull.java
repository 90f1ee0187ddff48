package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.agent.transfer.PullSource;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** A pull as an agent does it: lease, send, receive, copy into pages, check, commit. */
final class AgentPull implements Contender {

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final String name;
  private final AgentEnd owner;
  private final AgentEnd requester;
  private final List<ChunkKey> keys;

  AgentPull(String name, int chunks, int chunkBytes, AgentEnd.Way way) throws IOException {
    this.name = name;
    owner = new AgentEnd("owner", chunks, chunkBytes, way);
    requester = new AgentEnd("requester", chunks, chunkBytes, way);
    keys =
        LongStream.range(0, chunks)
            .mapToObj(i -> new ChunkKey(AgentEnd.keyspace(), ChunkHash.ofUnsigned(i)))
            .toList();
    for (int i = 0; i < chunks; i++) {
      owner.store(keys.get(i), chunkBytes, (byte) i);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void pull() throws InterruptedException {
    try (ChunkLease lease = requester.cache().newLease()) {
      PullOutcome outcome =
          requester
              .puller()
              .pull(
                  List.of(new PullSource(owner.address(), keys.size())),
                  keys,
                  lease,
                  Deadline.after(DEADLINE, System::nanoTime));
      if (!outcome.equals(new PullOutcome.Hit(keys.size()))) {
        throw new IllegalStateException("the pull ended with " + outcome);
      }
    }
  }

  @Override
  public void reset() {
    requester.cache().clear();
  }

  @Override
  public void close() {
    requester.close();
    owner.close();
  }
}

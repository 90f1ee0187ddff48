package io.kvmesh.controller.ops;

import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.ingest.IngestCounts;
import io.kvmesh.controller.ingest.IngestStatus;
import io.kvmesh.controller.ingest.LogIngest;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The views of the log: size, position in each partition, and what they have counted. */
@Endpoint(id = "kvindex")
public final class KvIndexEndpoint {

  private final ChunkIndex index;
  private final LocalView local;
  private final LogIngest ingest;

  public KvIndexEndpoint(ChunkIndex index, LocalView local, LogIngest ingest) {
    this.index = index;
    this.local = local;
    this.ingest = ingest;
  }

  /**
   * State of the views.
   *
   * @param servedFrom which of them answers lookups, memory or redis
   * @param full whether the one in memory has no room for much more
   */
  public record KvIndex(
      String servedFrom,
      boolean full,
      IngestStatus status,
      Map<String, Long> placementsByKeyspace,
      IngestCounts memory,
      IngestCounts durable) {}

  @ReadOperation
  public KvIndex kvIndex() {
    Map<String, Long> placements = new TreeMap<>();
    index
        .countByKeyspace()
        .forEach((keyspace, count) -> placements.put(keyspace.toString(), count));
    return new KvIndex(
        local.keepsChunks() ? "memory" : "redis",
        !local.hasRoom(),
        ingest.status(),
        placements,
        ingest.counts(),
        ingest.durableCounts());
  }
}

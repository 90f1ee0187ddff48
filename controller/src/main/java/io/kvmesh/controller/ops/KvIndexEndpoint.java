package io.kvmesh.controller.ops;

import io.kvmesh.controller.index.ChunkIndex;
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
  private final LogIngest ingest;

  public KvIndexEndpoint(ChunkIndex index, LogIngest ingest) {
    this.index = index;
    this.ingest = ingest;
  }

  /** State of the views. */
  public record KvIndex(
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
    return new KvIndex(ingest.status(), placements, ingest.counts(), ingest.durableCounts());
  }
}

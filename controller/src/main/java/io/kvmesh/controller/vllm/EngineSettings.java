package io.kvmesh.controller.vllm;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.WorkerKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An engine that is listened to: one data-parallel rank of a vLLM instance.
 *
 * @param worker its name on the log
 * @param endpoint where it publishes its events, such as {@code tcp://host:5557}
 * @param replayEndpoint where it gives past ones again; empty = nowhere
 * @param topic its events' topic begins so
 * @param model that it serves
 * @param blockTokens tokens of a block
 * @param hashAlgorithm vLLM's {@code --prefix-caching-hash-algo}; empty = not told
 * @param hashSeed the text of PYTHONHASHSEED there; empty = not told
 */
public record EngineSettings(
    WorkerId worker,
    String endpoint,
    String replayEndpoint,
    String topic,
    String model,
    int blockTokens,
    String hashAlgorithm,
    String hashSeed) {

  /** Where the engine's blocks are in the index. */
  public Keyspace keyspace() {
    return Keyspace.ofEngine(model, blockTokens);
  }

  boolean canReplay() {
    return !replayEndpoint.isEmpty();
  }

  /** Whether what was announced is of an engine with the same keys. */
  boolean hasKeysOf(Announcement other) {
    return other.kind() == WorkerKind.ENGINE
        && model.equals(other.model())
        && other.chunkTokens() != null
        && blockTokens == other.chunkTokens();
  }

  Announcement announcement(@Nullable EnginePosition position) {
    int port = endpoint.lastIndexOf(':');
    Announcement told =
        new Announcement(
            WorkerKind.ENGINE,
            endpoint.substring(endpoint.indexOf("//") + 2, port),
            Integer.parseInt(endpoint.substring(port + 1)),
            null,
            model,
            null,
            blockTokens,
            null,
            null,
            hashAlgorithm.isEmpty() ? null : "vllm:" + hashAlgorithm,
            hashSeed.isEmpty() ? null : hashSeed,
            List.of());
    return told.at(position);
  }
}

package io.kvmesh.controller.config;

import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.ops.EngineMeters;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.vllm.EngineCounts;
import io.kvmesh.controller.vllm.EngineEvents;
import io.kvmesh.controller.vllm.EngineSettings;
import io.kvmesh.controller.vllm.EventsSettings;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The part of the wiring that listens to engines. */
@Configuration(proxyBeanMethods = false)
class VllmConfiguration {

  /** vLLM hashes None where there are no extra keys, and chains whole digests. */
  private static final String VLLM_VARIANTS = "+raw+none";

  @Bean
  EngineCounts engineCounts() {
    return new EngineCounts();
  }

  @Bean
  EngineEvents engineEvents(
      ControllerSettings settings,
      ZmqSockets sockets,
      IngestView view,
      WorkerRegistry registry,
      EventLogWriter log,
      EngineCounts counts) {
    ControllerSettings.Vllm vllm = settings.vllm();
    SocketSettings plain = ControllerConfiguration.sockets(settings).withoutKeys();
    var events =
        new EventsSettings(
            vllm.engines().stream().map(VllmConfiguration::engine).toList(),
            plain,
            vllm.replayTimeout(),
            vllm.maxQueue().toBytes(),
            settings.liveness().heartbeatInterval(),
            settings.front().holdFor());
    return new EngineEvents(events, sockets, view, registry, log, counts);
  }

  private static EngineSettings engine(ControllerSettings.Engine engine) {
    return new EngineSettings(
        new WorkerId(engine.instanceId(), engine.rank()),
        engine.endpoint(),
        engine.replayEndpoint(),
        engine.topic(),
        engine.model(),
        engine.blockSize(),
        engine.hashAlgorithm(),
        engine.hashSeed());
  }

  /** How prompts are hashed in each keyspace of which that is told. */
  static Map<Keyspace, TokenChunker> chunkers(ControllerSettings.Vllm vllm) {
    Map<Keyspace, TokenChunker> chunkers = new HashMap<>();
    for (ControllerSettings.Engine engine : vllm.engines()) {
      if (!engine.hashAlgorithm().isEmpty()) {
        ChunkHashing hashing =
            ChunkHashing.of(engine.hashAlgorithm() + VLLM_VARIANTS, engine.hashSeed());
        chunkers.put(
            Keyspace.ofEngine(engine.model(), engine.blockSize()),
            new TokenChunker(hashing, engine.blockSize()));
      }
    }
    return chunkers;
  }

  @Bean
  EngineMeters engineMeters(EngineEvents events, EngineCounts counts) {
    return new EngineMeters(events, counts);
  }
}

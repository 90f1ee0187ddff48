package io.kvmesh.controller.vllm;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;
import java.util.List;

/**
 * Settings of {@link EngineEvents}.
 *
 * @param sockets how the sockets to engines behave; engines know no keys
 * @param replayTimeout the longest replay
 * @param maxQueueBytes of events of one engine that wait
 * @param heartbeatInterval between two signs of life of an engine on the log
 * @param catchUpTimeout the longest wait for the view before an engine is followed
 */
public record EventsSettings(
    List<EngineSettings> engines,
    SocketSettings sockets,
    Duration replayTimeout,
    long maxQueueBytes,
    Duration heartbeatInterval,
    Duration catchUpTimeout) {

  /** Copies the list. */
  public EventsSettings {
    engines = List.copyOf(engines);
  }
}

package io.kvmesh.agent.directory;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;
import java.util.List;

/**
 * How the controllers are asked.
 *
 * @param controllers reply sockets, host:port
 * @param sockets of the connections
 * @param attemptTimeout after which another controller is asked
 * @param passOverMost longest time for which a controller that failed is passed over
 * @param maxInFlight questions that wait for an answer; more are refused
 */
public record DirectorySettings(
    List<String> controllers,
    SocketSettings sockets,
    Duration attemptTimeout,
    Duration passOverMost,
    int maxInFlight) {

  /** Copies the list. */
  public DirectorySettings {
    controllers = List.copyOf(controllers);
  }
}

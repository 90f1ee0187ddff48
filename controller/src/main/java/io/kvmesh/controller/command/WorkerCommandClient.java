package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ControlRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends one command to one worker and brings its receipt. Any thread. */
public interface WorkerCommandClient {

  /**
   * Connects, sends, waits for the reply and disconnects. The future completes within the timeout
   * and never exceptionally.
   *
   * @param ip host name or address that the worker registered
   */
  CompletableFuture<CommandOutcome> send(
      String ip, int port, ControlRequest request, Duration timeout);
}

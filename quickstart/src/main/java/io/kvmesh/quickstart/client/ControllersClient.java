package io.kvmesh.quickstart.client;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.zmq.ZmqSockets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All controllers of a fleet, any of which may answer an agent. Owned as {@link ControllerClient}.
 */
public final class ControllersClient implements AutoCloseable {

  private final List<ControllerClient> controllers = new ArrayList<>();

  private ControllersClient() {}

  /**
   * Connects to each in the background.
   *
   * @param endpoints tcp://host:port of the reply sockets
   * @param keyFile the fleet's key; empty = the controllers have none
   */
  public static ControllersClient open(
      ZmqSockets sockets, List<String> endpoints, Optional<Path> keyFile) throws ClientException {
    ControllersClient all = new ControllersClient();
    try {
      for (String endpoint : endpoints) {
        all.controllers.add(ControllerClient.open(sockets, endpoint, keyFile));
      }
      return all;
    } catch (ClientException e) {
      all.close();
      throw e;
    }
  }

  /** As {@link ControllerClient#awaitApplied}, for every view; the answer of one that hasn't. */
  public AppliedRetMsg awaitApplied(WorkerId worker, long epoch, long sequence, Duration timeout)
      throws ClientException, InterruptedException {
    AppliedRetMsg answer = controllers.getFirst().awaitApplied(worker, epoch, sequence, timeout);
    for (int i = 1; i < controllers.size() && answer.applied(); i++) {
      answer = controllers.get(i).awaitApplied(worker, epoch, sequence, timeout);
    }
    return answer;
  }

  @Override
  public void close() {
    controllers.forEach(ControllerClient::close);
  }
}

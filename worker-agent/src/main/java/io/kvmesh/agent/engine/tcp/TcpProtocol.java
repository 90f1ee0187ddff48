package io.kvmesh.agent.engine.tcp;

import java.io.IOException;

/** What is spoken at a door. Any thread. */
@FunctionalInterface
public interface TcpProtocol {

  /**
   * Serves the request whose first byte is there, on the thread of the connection.
   *
   * @throws BadRequestException to end the connection
   */
  void serve(TcpConnection client) throws IOException, InterruptedException;
}

package io.kvmesh.agent.engine.tcp;

import java.io.IOException;
import java.util.Set;

/** What is spoken at a door. Any thread. */
@FunctionalInterface
public interface TcpProtocol extends AutoCloseable {

  /** What a client and this side say on one connection, on whose thread it is. */
  @FunctionalInterface
  interface Talk {

    /**
     * Serves the request whose first byte is there.
     *
     * @return whether there may be a further one; false ends the connection
     * @throws BadRequestException to end the connection, too
     */
    boolean serve() throws IOException, InterruptedException;
  }

  /** A client has come. */
  Talk open(TcpConnection client);

  /** What can't happen where this is spoken. */
  default Set<DoorCount> never() {
    return Set.of();
  }

  /** Some time has passed; waits for nothing. */
  default void tick() {}

  /** Lets go of what it holds between requests: the last client has gone. */
  @Override
  default void close() {}
}

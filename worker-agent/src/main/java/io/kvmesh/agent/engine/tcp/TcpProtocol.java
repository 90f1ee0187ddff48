package io.kvmesh.agent.engine.tcp;

import java.io.IOException;

/** What is spoken at a door. Any thread. */
public interface TcpProtocol {

  /** What a client is told that is sent away; may be empty. */
  byte[] refusal();

  /** A new client. */
  Conversation begin(TcpConnection with);

  /** With one client, on the thread of its connection. */
  @FunctionalInterface
  interface Conversation extends AutoCloseable {

    /**
     * Serves the request whose first byte is there; answers whether there may be more.
     *
     * @throws BadRequestException to end the conversation
     */
    boolean next() throws IOException, InterruptedException;

    /** The client is gone. */
    @Override
    default void close() {}
  }
}

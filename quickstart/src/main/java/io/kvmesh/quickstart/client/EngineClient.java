package io.kvmesh.quickstart.client;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.time.Duration;
import java.util.List;

/**
 * One session at the native door of an agent. Each call waits for its reply. Owned by the thread
 * that opens it, which may be interrupted.
 */
public final class EngineClient implements AutoCloseable {

  private static final int FORMAT = 1;
  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  private final MessageCodec codec = new MessageCodec();
  private final RequestSocket socket;
  private final String name;
  private final Duration timeout;
  private final OpenSessionRetMsg session;

  private EngineClient(RequestSocket socket, String name, Duration timeout)
      throws ClientException, InterruptedException {
    this.socket = socket;
    this.name = name;
    this.timeout = timeout;
    this.session =
        call(OpenSessionRetMsg.class, new OpenSessionMsg(FORMAT, "quickstart"), List.of()).message;
  }

  /**
   * Opens a session.
   *
   * @param name of the agent, for messages
   * @param endpoint tcp://host:port of its native door
   * @param timeout of each call
   */
  public static EngineClient open(
      ZmqSockets sockets, String name, String endpoint, Duration timeout)
      throws ClientException, InterruptedException {
    RequestSocket socket = RequestSocket.connect(sockets, name, endpoint, SocketSettings.DEFAULT);
    try {
      return new EngineClient(socket, name, timeout);
    } catch (ClientException | InterruptedException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** What the agent said about itself and this session. */
  public OpenSessionRetMsg session() {
    return session;
  }

  /**
   * How long a prefix is there, here and then at one other agent.
   *
   * @param lease hold the local part until it is released or read
   */
  public EngineLookupRetMsg lookup(List<ChunkKey> keys, boolean lease)
      throws ClientException, InterruptedException {
    EngineLookupMsg request = new EngineLookupMsg(session.sessionId(), texts(keys), lease);
    return call(EngineLookupRetMsg.class, request, List.of()).message;
  }

  /**
   * The longest prefix with its bodies.
   *
   * @param leaseId 0 = a new one
   * @param deadline for what other agents have
   */
  public Retrieved retrieve(long leaseId, List<ChunkKey> keys, Duration deadline)
      throws ClientException, InterruptedException {
    EngineRetrieveMsg request =
        new EngineRetrieveMsg(session.sessionId(), leaseId, texts(keys), deadline.toMillis());
    Answer<EngineRetrieveRetMsg> answer = call(EngineRetrieveRetMsg.class, request, List.of());
    int chunks = answer.message.numLocal() + answer.message.numPeer();
    if (answer.bodies.size() != chunks) {
      throw new ClientException(
          name + ": " + chunks + " chunks announced, " + answer.bodies.size() + " bodies came");
    }
    return new Retrieved(answer.message, answer.bodies);
  }

  /**
   * Stores chunks.
   *
   * @param leaseId 0 = a new one
   * @param tokens of each chunk
   * @param hold keep them in the lease
   */
  public EngineStoreRetMsg store(
      long leaseId, List<ChunkKey> keys, List<byte[]> bodies, List<Integer> tokens, boolean hold)
      throws ClientException, InterruptedException {
    EngineStoreMsg request =
        new EngineStoreMsg(session.sessionId(), leaseId, texts(keys), tokens, hold);
    EngineStoreRetMsg reply = call(EngineStoreRetMsg.class, request, bodies).message;
    if (reply.outcomes().size() != keys.size()) {
      throw new ClientException(
          name + ": " + keys.size() + " chunks sent, " + reply.outcomes().size() + " outcomes");
    }
    return reply;
  }

  /** Lets go of what the lease holds. */
  public void release(long leaseId) throws ClientException, InterruptedException {
    EngineReleaseMsg request = new EngineReleaseMsg(session.sessionId(), leaseId);
    call(EngineReply.class, request, List.of());
  }

  /** Ends the session, if the agent is still there, and the connection. */
  @Override
  public void close() {
    CloseSessionMsg request = new CloseSessionMsg(session.sessionId());
    try {
      socket.request(codec.encode(request), List.of(), CLOSE_TIMEOUT);
    } catch (ClientException e) {
      // an agent that is gone has no session either
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      socket.close();
    }
  }

  private record Answer<T>(T message, List<byte[]> bodies) {}

  private <T extends EngineReply> Answer<T> call(
      Class<T> type, EngineRequest request, List<byte[]> bodies)
      throws ClientException, InterruptedException {
    RequestSocket.Reply reply = socket.request(codec.encode(request), bodies, timeout);
    EngineReply message = Replies.decode(codec, EngineReply.class, reply.payload(), name);
    if (message instanceof EngineErrorMsg error) {
      throw new ClientException(name + " answers " + error.code() + ": " + error.error());
    }
    if (!type.isInstance(message)) {
      throw new ClientException(
          name
              + " answers "
              + message.getClass().getSimpleName()
              + " to "
              + request.getClass().getSimpleName());
    }
    return new Answer<>(type.cast(message), reply.bodies());
  }

  private static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }
}

package io.kvmesh.common.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** An agent whose answers to a retrieve tell of a chunk and come without it. */
class BrokenAnswerTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final long OF_LOOKUPS = 7;
  private static final long NEW = 8;
  private static final List<ChunkKey> KEYS =
      List.of(new ChunkKey(Keyspace.of("m", 1, 0, "bfloat16", List.of()), ChunkHash.ofUnsigned(1)));

  private final MessageCodec codec = new MessageCodec();
  private final List<Long> released = new CopyOnWriteArrayList<>();

  @Test
  void retrieveIntoALease_leavesTheLeaseToItsCaller() throws Exception {
    try (ZmqSockets sockets = new ZmqSockets();
        SocketLoop agent = new SocketLoop("agent", sockets, 10);
        EngineClient client = open(sockets, agent);
        LookedUp found = client.lookup(KEYS, true)) {
      assertThatThrownBy(() -> client.retrieve(KEYS, found.lease(), LONG, LONG))
          .hasMessageContaining("0 bodies");
      ask(client);
      assertThat(released).isEmpty();

      found.lease().close();
      ask(client);
      assertThat(released).containsExactly(OF_LOOKUPS);
    }
  }

  @Test
  void retrieve_givesBackTheLeaseThatNobodyGets() throws Exception {
    try (ZmqSockets sockets = new ZmqSockets();
        SocketLoop agent = new SocketLoop("agent", sockets, 10);
        EngineClient client = open(sockets, agent)) {
      assertThatThrownBy(() -> client.retrieve(KEYS, LONG)).hasMessageContaining("0 bodies");
      ask(client);
      assertThat(released).containsExactly(NEW);
    }
  }

  /** All that was said before has come to the agent. */
  private static void ask(EngineClient client) throws Exception {
    client.lookup(KEYS, false).close();
  }

  private EngineClient open(ZmqSockets sockets, SocketLoop agent) throws Exception {
    agent.start();
    ZmqSocket door =
        agent.bind(SocketKind.ROUTER, "tcp://127.0.0.1:0", SocketSettings.DEFAULT, this::onMessage);
    return EngineClient.open(
        sockets, EngineClientSettings.of(door.endpoint(), "engine").withTimeout(LONG));
  }

  private void onMessage(ZmqSocket socket, Multipart message) {
    try {
      Envelope.Content content = Envelope.splitRouted(message);
      EngineReply reply = answer(codec.decode(EngineRequest.class, content.payload()));
      socket.send(content.envelope().with(codec.encode(reply)));
    } catch (EnvelopeException | WireFormatException e) {
      throw new IllegalStateException(e);
    } finally {
      message.release();
    }
  }

  private EngineReply answer(EngineRequest request) {
    return switch (request) {
      case OpenSessionMsg _ -> new OpenSessionRetMsg(1, 1, 4096, 256);
      case EngineLookupMsg lookup -> new EngineLookupRetMsg(lookup.lease() ? OF_LOOKUPS : 0, 1, 0);
      case EngineRetrieveMsg retrieve ->
          new EngineRetrieveRetMsg(
              retrieve.leaseId() == 0 ? NEW : retrieve.leaseId(),
              1,
              0,
              List.of(4096),
              List.of(256),
              "none",
              1,
              1);
      case EngineReleaseMsg release -> {
        released.add(release.leaseId());
        yield new EngineReleaseRetMsg(1);
      }
      case CloseSessionMsg _ -> new CloseSessionRetMsg(0);
      default -> throw new IllegalStateException("Not expected: " + request);
    };
  }
}

package io.kvmesh.agent.directory;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one controller: many questions in flight, matched by request id. The loop's
 * thread, but for the answers' futures.
 */
final class ControllerLink implements MessageHandler {

  private static final Logger LOG = LoggerFactory.getLogger(ControllerLink.class);

  private final String address;
  private final SocketLoop loop;
  private final SocketSettings settings;
  private final MessageCodec codec;
  private final Counters<DirectoryCount> counters;
  private final RefusedFrames refused;
  private final Map<Long, CompletableFuture<Exchange>> inFlight = new HashMap<>();
  private @Nullable ZmqSocket socket;

  ControllerLink(
      String address,
      SocketLoop loop,
      SocketSettings settings,
      MessageCodec codec,
      Counters<DirectoryCount> counters,
      RefusedFrames refused) {
    this.address = address;
    this.loop = loop;
    this.settings = settings;
    this.codec = codec;
    this.counters = counters;
    this.refused = refused;
  }

  /**
   * Sends a question; the future is completed when its answer or the loss of the connection comes.
   */
  void ask(long id, byte[] question, CompletableFuture<Exchange> answer) {
    try {
      ZmqSocket open = socket();
      inFlight.put(id, answer);
      if (open.send(Envelope.ofRequest(id).with(question)) != SendOutcome.SENT) {
        inFlight.remove(id);
        answer.complete(new Exchange.Failed("its queue is full"));
      }
    } catch (IOException e) {
      answer.complete(new Exchange.Failed(String.valueOf(e.getMessage())));
    }
  }

  /** Nobody waits for this answer any more. */
  void forget(long id) {
    inFlight.remove(id);
  }

  void close() {
    failAll("closing");
    if (socket != null) {
      loop.close(socket);
      socket = null;
    }
  }

  private ZmqSocket socket() throws IOException {
    if (socket == null) {
      socket = loop.connect(SocketKind.DEALER, "tcp://" + address, settings, this);
    }
    return socket;
  }

  @Override
  public void onMessage(ZmqSocket from, Multipart message) {
    try {
      Envelope.Content content = Envelope.split(message);
      answered(message, content);
    } catch (EnvelopeException e) {
      refuse(message, e.getMessage());
    } finally {
      message.release();
    }
  }

  private void answered(Multipart message, Envelope.Content content) {
    OptionalLong id = content.envelope().requestId();
    CompletableFuture<Exchange> question = id.isPresent() ? inFlight.remove(id.getAsLong()) : null;
    Exchange exchange;
    try {
      exchange = new Exchange.Answered(codec.decode(DirectoryReply.class, content.payload()));
    } catch (WireFormatException e) {
      refuse(message, e.getMessage());
      exchange = new Exchange.Failed("answers with garbage: " + e.getMessage());
    }
    if (question == null || !question.complete(exchange)) {
      counters.count(DirectoryCount.FOREIGN_REPLY);
    }
  }

  private void refuse(Multipart message, @Nullable String rule) {
    counters.count(DirectoryCount.BAD_FRAME);
    refused.refuse(message, rule);
  }

  @Override
  public void onConnectionLost(ZmqSocket from) {
    counters.count(DirectoryCount.CONNECTION_LOST);
    LOG.info("Connection to controller {} lost", address);
    // Made anew by the next question: after some faults a socket doesn't connect again by itself.
    loop.close(from);
    socket = null;
    failAll("the connection went away");
  }

  private void failAll(String reason) {
    List<CompletableFuture<Exchange>> all = List.copyOf(inFlight.values());
    inFlight.clear();
    all.forEach(question -> question.complete(new Exchange.Failed(reason)));
  }
}

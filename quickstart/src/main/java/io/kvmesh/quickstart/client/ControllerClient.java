package io.kvmesh.quickstart.client;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks a controller over its reply socket. Each call waits for its reply. Owned by the thread that
 * opens it, which may be interrupted.
 */
public final class ControllerClient implements AutoCloseable {

  private static final String NAME = "controller";
  private static final Duration REPLY_MARGIN = Duration.ofSeconds(5);

  private final MessageCodec codec = new MessageCodec();
  private final RequestSocket socket;

  private ControllerClient(RequestSocket socket) {
    this.socket = socket;
  }

  /**
   * Connects in the background.
   *
   * @param endpoint tcp://host:port of the reply socket
   * @param keyFile the fleet's key; empty = the controller has none
   */
  public static ControllerClient open(ZmqSockets sockets, String endpoint, Optional<Path> keyFile)
      throws ClientException {
    SocketSettings settings = SocketSettings.DEFAULT.withKeys(keys(keyFile));
    return new ControllerClient(RequestSocket.connect(sockets, NAME, endpoint, settings));
  }

  private static Optional<CurveKeys> keys(Optional<Path> file) throws ClientException {
    try {
      return file.isEmpty() ? Optional.empty() : Optional.of(CurveKeys.read(file.get()));
    } catch (IOException e) {
      throw new ClientException("the key file %s: %s".formatted(file.get(), e.getMessage()), e);
    }
  }

  /**
   * The barrier: waits until the view that answers lookups has applied a worker's events up to a
   * number, or the timeout is over, or it never will: a later life of the worker is known.
   */
  public AppliedRetMsg awaitApplied(WorkerId worker, long epoch, long sequence, Duration timeout)
      throws ClientException, InterruptedException {
    AppliedMsg request =
        new AppliedMsg(worker.instanceId(), worker.rank(), epoch, sequence, timeout.toMillis());
    byte[] reply = socket.request(codec.encode(request), timeout.plus(REPLY_MARGIN));
    return switch (Replies.decode(codec, DirectoryReply.class, reply, NAME)) {
      case AppliedRetMsg applied -> applied;
      case ErrorMsg error -> throw new ClientException(NAME + " answers " + error.error());
      case DirectoryReply other ->
          throw new ClientException(NAME + " answers " + other.getClass().getSimpleName());
    };
  }

  @Override
  public void close() {
    socket.close();
  }
}

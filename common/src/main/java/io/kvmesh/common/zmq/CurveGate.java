package io.kvmesh.common.zmq;

import io.kvmesh.common.count.LogLimit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the holders of one key in, and nobody else, at all CURVE sockets of a context: answers what
 * the library asks about each client that has completed a handshake (ZAP, RFC 27).
 *
 * <pre>
 *   request  [connection] [empty] [version] [id] [domain] [address] [identity] [mechanism] [key]
 *   reply    [connection] [empty] [version] [id] [status] [text] [user] [metadata]
 * </pre>
 */
final class CurveGate implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CurveGate.class);

  private static final String ADDRESS = "inproc://zeromq.zap.01";
  private static final int REQUEST_FRAMES = 9;
  private static final int VERSION = 2;
  private static final int ID = 3;
  private static final int CLIENT_ADDRESS = 5;
  private static final int MECHANISM = 7;
  private static final int KEY = 8;

  private final SocketLoop loop;
  private final byte[] allowedKey;
  private final LongAdder refused = new LongAdder();
  private final LogLimit log = new LogLimit(System::nanoTime);

  CurveGate(ZmqSockets sockets, CurveKeys keys) {
    this.loop = SocketLoop.thatOutlivesOthers("zmq-gate", sockets);
    this.allowedKey = keys.publicKey();
  }

  void open(SocketSettings settings) throws IOException {
    loop.start();
    loop.bind(SocketKind.ROUTER, ADDRESS, settings.withoutKeys(), this::answer);
  }

  /**
   * For a further socket of the context.
   *
   * @throws IllegalArgumentException if it has other keys: the gate is one for all
   */
  void requireFor(CurveKeys keys) {
    if (!Arrays.equals(keys.publicKey(), allowedKey)) {
      throw new IllegalArgumentException("All sockets that listen have the same keys");
    }
  }

  private void answer(ZmqSocket socket, Multipart message) {
    List<Frame> request = message.frames();
    if (request.size() < VERSION + 2) {
      return;
    }
    boolean allowed =
        request.size() == REQUEST_FRAMES
            && "CURVE".equals(text(request.get(MECHANISM)))
            && MessageDigest.isEqual(request.get(KEY).toArray(), allowedKey);
    if (!allowed) {
      refuse(request);
    }
    List<Frame> reply = new ArrayList<>(request.subList(0, ID + 1));
    reply.add(frame(allowed ? "200" : "400"));
    reply.add(frame(allowed ? "OK" : "unknown key"));
    reply.add(Frame.EMPTY);
    reply.add(Frame.EMPTY);
    socket.send(reply);
  }

  private void refuse(List<Frame> request) {
    refused.increment();
    if (log.permits()) {
      boolean whole = request.size() == REQUEST_FRAMES;
      LOG.warn(
          "A client at {} with the key {} is refused; {} so far",
          whole ? text(request.get(CLIENT_ADDRESS)) : "unknown",
          whole ? HexFormat.of().formatHex(request.get(KEY).toArray()) : "unknown",
          refused.sum());
    }
  }

  private static String text(Frame frame) {
    return new String(frame.toArray(), StandardCharsets.ISO_8859_1);
  }

  private static Frame frame(String text) {
    return Frame.of(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Clients that were refused. */
  long refused() {
    return refused.sum();
  }

  /** Only after all sockets that it keeps; nobody asks it any more. */
  @Override
  public void close() {
    loop.close();
  }
}

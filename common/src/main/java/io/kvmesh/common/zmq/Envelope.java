package io.kvmesh.common.zmq;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The frames before a message's payload: a peer's identity (on a ROUTER), a request id (ours), an
 * empty delimiter; what a sender left out is not there. An answer goes back in the same envelope,
 * so that plain REQ peers, DEALERs with and without delimiter, and ours all understand it.
 *
 * <pre>
 *   [identity]                    [payload]               DEALER without delimiter
 *   [identity]            [empty] [payload]               REQ, or DEALER with delimiter
 *   [identity][request id][empty] [payload] [body ...]    ours
 * </pre>
 *
 * The first empty frame is the delimiter. Without one the last frame is the payload.
 */
public final class Envelope {

  private static final int REQUEST_ID_BYTES = Long.BYTES;
  private static final byte[] NOTHING = {};

  private final List<Frame> frames;
  private final boolean routed;

  private Envelope(List<Frame> frames, boolean routed) {
    this.frames = List.copyOf(frames);
    this.routed = routed;
  }

  /**
   * A message taken apart.
   *
   * @param payload not copied; empty only if {@link #splitAnswerable} took the message apart
   * @param body frames after the payload, none of them empty
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Content(Envelope envelope, byte[] payload, List<Frame> body) {}

  /** The envelope of a request of ours, to be sent by a DEALER. */
  public static Envelope ofRequest(long requestId) {
    byte[] id = ByteBuffer.allocate(REQUEST_ID_BYTES).putLong(requestId).array();
    return new Envelope(List.of(Frame.of(id), Frame.EMPTY), false);
  }

  /**
   * Takes a message apart that a ROUTER received.
   *
   * @throws EnvelopeException if it has no payload
   */
  public static Content splitRouted(Multipart message) throws EnvelopeException {
    return split(message.frames(), true);
  }

  /**
   * Takes a message apart that a ROUTER received who owes every sender an answer: where the payload
   * isn't where it should be, it is the last frame, and may be empty. Where only a body frame is
   * wrong, it is empty: the answer's place is known, and it can but be a refusal.
   *
   * @throws EnvelopeException if there is nothing but the sender's identity
   */
  public static Content splitAnswerable(Multipart message) throws EnvelopeException {
    List<Frame> frames = message.frames();
    try {
      return split(frames, true);
    } catch (EnvelopeException e) {
      if (frames.size() < 2) {
        throw e;
      }
      int payload = payloadAt(frames, 1);
      boolean bodyIsWrong = payload < frames.size() - 1 && !frames.get(payload).isEmpty();
      return bodyIsWrong
          ? new Content(new Envelope(frames.subList(0, payload), true), NOTHING, List.of())
          : new Content(
              new Envelope(frames.subList(0, frames.size() - 1), true),
              frames.getLast().toArray(),
              List.of());
    }
  }

  /**
   * Takes a message apart that another kind of socket received.
   *
   * @throws EnvelopeException if it has no payload
   */
  public static Content split(Multipart message) throws EnvelopeException {
    return split(message.frames(), false);
  }

  private static Content split(List<Frame> frames, boolean routed) throws EnvelopeException {
    int identities = routed ? 1 : 0;
    if (frames.size() <= identities) {
      throw new EnvelopeException("a message needs a payload, got " + frames.size() + " frames");
    }
    if (frames.getLast().isEmpty()) {
      throw new EnvelopeException("the last frame of a message is not empty");
    }
    int payload = payloadAt(frames, identities);
    List<Frame> body = frames.subList(payload + 1, frames.size());
    if (frames.get(payload).isEmpty() || body.stream().anyMatch(Frame::isEmpty)) {
      throw new EnvelopeException("payload and body frames are not empty");
    }
    Envelope envelope = new Envelope(frames.subList(0, payload), routed);
    return new Content(envelope, frames.get(payload).toArray(), body);
  }

  /** Behind the first empty frame; without one the last. */
  private static int payloadAt(List<Frame> frames, int from) {
    for (int i = from; i < frames.size(); i++) {
      if (frames.get(i).isEmpty()) {
        return i + 1;
      }
    }
    return frames.size() - 1;
  }

  /** The peer that a ROUTER received the message from. */
  public PeerId peer() {
    if (!routed) {
      throw new IllegalStateException("Only a ROUTER's messages name their peer");
    }
    return PeerId.of(frames.getFirst().toArray());
  }

  /** The id of a request of ours, or empty if the sender doesn't number its requests so. */
  public OptionalLong requestId() {
    int index = routed ? 1 : 0;
    boolean numbered =
        frames.size() == index + 2
            && frames.get(index).size() == REQUEST_ID_BYTES
            && frames.get(index + 1).isEmpty();
    return numbered
        ? OptionalLong.of(ByteBuffer.wrap(frames.get(index).toArray()).getLong())
        : OptionalLong.empty();
  }

  /** A message of this envelope and a payload. */
  public List<Frame> with(byte[] payload) {
    return with(payload, List.of());
  }

  /** A message of this envelope, a payload and a body. */
  public List<Frame> with(byte[] payload, List<Frame> body) {
    List<Frame> message = new ArrayList<>(frames.size() + 1 + body.size());
    message.addAll(frames);
    message.add(Frame.of(payload));
    message.addAll(body);
    return message;
  }
}

package io.kvmesh.common.zmq;

import java.util.HexFormat;
import java.util.List;

/**
 * A message as it was received: on a ROUTER the first frame is the peer's identity.
 *
 * @param frames at least one
 * @param peerAddress the peer's network address, or empty where the transport has none
 */
public record Multipart(List<Frame> frames, String peerAddress) {

  private static final int SHOWN_BYTES = 16;

  /** Copies the list. */
  public Multipart {
    frames = List.copyOf(frames);
  }

  /** Gives all receive buffers back. */
  public void release() {
    frames.forEach(Frame::release);
  }

  /** For a log line: where it came from, how long its frames are and how the last one starts. */
  @Override
  public String toString() {
    byte[] last = frames.getLast().toArray();
    String start = HexFormat.of().formatHex(last, 0, Math.min(last.length, SHOWN_BYTES));
    return "message from %s, frames of %s, the last starts with '%s'"
        .formatted(peerAddress.isEmpty() ? "unknown" : peerAddress, frames, start);
  }
}

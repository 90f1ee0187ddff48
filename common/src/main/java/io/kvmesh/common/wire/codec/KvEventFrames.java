package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The frames around vLLM's KV events. Published is {@code [topic, sequence, payload]}; a replay is
 * asked for by {@code ["", first sequence]} and answered with one {@code ["", sequence, payload]}
 * for each batch from there on that the engine still has, and an end marker. A sequence is 8 bytes,
 * big-endian; an engine's first is 0.
 */
public final class KvEventFrames {

  /** Sequence of the marker behind a replay's last batch; its payload is empty. */
  public static final long END = -1;

  private static final byte[] EMPTY = {};
  private static final int FRAMES = 3;

  private KvEventFrames() {}

  /** A batch under its number, not yet decoded; or the end marker. */
  public record Numbered(long sequence, byte[] payload) {

    /** Whether a replay ends here. */
    public boolean isEnd() {
      return sequence == END;
    }
  }

  /**
   * Reads what was published.
   *
   * @throws WireFormatException if the frames are anything else
   */
  public static Numbered published(List<byte[]> frames) throws WireFormatException {
    Numbered numbered = numbered(frames);
    if (numbered.isEnd()) {
      throw fault("[1]", Code.OUT_OF_RANGE, "Expected a sequence of 0 or more, got -1");
    }
    return numbered;
  }

  /**
   * Reads an answer to a replay request, as its asker gets it.
   *
   * @throws WireFormatException if the frames are anything else
   */
  public static Numbered replayed(List<byte[]> frames) throws WireFormatException {
    Numbered numbered = numbered(frames);
    if (frames.getFirst().length > 0) {
      throw fault("[0]", Code.INVALID_VALUE, "Expected an empty frame");
    }
    return numbered;
  }

  private static Numbered numbered(List<byte[]> frames) throws WireFormatException {
    if (frames.size() != FRAMES) {
      throw fault(
          "", Code.WRONG_TYPE, "Expected %d frames, got %d".formatted(FRAMES, frames.size()));
    }
    byte[] number = frames.get(1);
    if (number.length != Long.BYTES) {
      throw fault(
          "[1]",
          Code.WRONG_TYPE,
          "Expected a sequence of %d bytes, got %d".formatted(Long.BYTES, number.length));
    }
    long sequence = ByteBuffer.wrap(number).getLong();
    if (sequence < END) {
      throw fault("[1]", Code.OUT_OF_RANGE, "Expected a sequence of 0 or more, got " + sequence);
    }
    return new Numbered(sequence, frames.get(2));
  }

  private static WireFormatException fault(String segment, Code code, String rule) {
    return WireFormatException.at(code, 0, rule).within(segment);
  }

  /** The frames of a batch as it is published. */
  public static List<byte[]> publication(byte[] topic, Numbered batch) {
    return List.of(topic, number(batch.sequence), batch.payload);
  }

  /** The frames that ask for all batches from a number on. */
  public static List<byte[]> replayRequest(long first) {
    return List.of(EMPTY, number(first));
  }

  /** The frames of a batch, or of the end marker, as an answer without the asker's identity. */
  public static List<byte[]> replayAnswer(Numbered batch) {
    return publication(EMPTY, batch);
  }

  private static byte[] number(long sequence) {
    return ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
  }
}

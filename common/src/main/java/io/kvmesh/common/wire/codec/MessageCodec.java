package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.Message;

/** Encodes and decodes messages. Stateless but for schemas made once; usable from any thread. */
public final class MessageCodec {

  private final DecodeLimits limits;

  /** With the default limits. */
  public MessageCodec() {
    this(DecodeLimits.DEFAULT);
  }

  /** With other limits for decoding. */
  public MessageCodec(DecodeLimits limits) {
    this.limits = limits;
  }

  /**
   * The message's bytes.
   *
   * @throws IllegalArgumentException if a hash has more than 64 bits
   */
  public byte[] encode(Message message) {
    throw new UnsupportedOperationException("to follow " + message + limits);
  }

  /**
   * Reads a message of the family: a sealed interface of messages, or one record.
   *
   * @throws WireFormatException if the bytes are anything else; a valid message of another family
   *     has the code UNEXPECTED_TYPE
   */
  public <T extends Message> T decode(Class<T> family, byte[] bytes) throws WireFormatException {
    throw new UnsupportedOperationException("to follow " + family + bytes.length);
  }
}

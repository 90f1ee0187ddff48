package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.msgpack.core.MessageBufferPacker;

/** Encodes and decodes messages. Stateless but for schemas made once; usable from any thread. */
public final class MessageCodec {

  private final MsgpackLibrary library = new MsgpackLibrary();
  private final Schemas schemas = new Schemas();
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
    try (MessageBufferPacker out = library.newPacker()) {
      schemas.message(message.getClass()).write(out, message);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does no I/O", e);
    }
  }

  /**
   * Reads a message of the family: a sealed interface of messages, or one record.
   *
   * @throws WireFormatException if the bytes are anything else; a valid message of another family
   *     has the code UNEXPECTED_TYPE
   */
  public <T extends Message> T decode(Class<T> family, byte[] bytes) throws WireFormatException {
    limits.requireAllowed(bytes);
    return read(family, bytes);
  }

  /**
   * Whether the bytes are a message as JSON text, if they are one at all: no message in msgpack
   * begins with a brace.
   */
  public static boolean isJson(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == '{';
  }

  /**
   * Reads a message of the family from JSON text: the same fields under the same rules. A map whose
   * keys are numbers, which only replies have, can't be read.
   *
   * @throws WireFormatException as for {@link #decode}; offsets are those of the text
   */
  public <T extends Message> T decodeJson(Class<T> family, byte[] text) throws WireFormatException {
    limits.requireAllowed(text);
    JsonFrame frame = new JsonFrame(library, text, limits);
    byte[] bytes = frame.toMsgpack();
    try {
      return read(family, bytes);
    } catch (WireFormatException e) {
      throw e.movedTo(frame.textOffset(e.offset()));
    }
  }

  private <T extends Message> T read(Class<T> family, byte[] bytes) throws WireFormatException {
    WireReader in = new WireReader(library, bytes, limits);
    T message = family.cast(schemas.family(family).read(in));
    in.requireEnd();
    return message;
  }
}

package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.msgpack.core.MessageBufferPacker;

/** Encodes and decodes batches of vLLM's KV events. Usable from any thread. */
public final class KvEventCodec {

  private static final String EVENTS = "events";

  private final MsgpackLibrary library = new MsgpackLibrary();
  private final Schemas schemas = new Schemas();
  private final ValueCodec arrays = batch(KvEvent.Style.ARRAY);
  private final ValueCodec maps = batch(KvEvent.Style.MAP);
  private final DecodeLimits limits;

  /** With the default limits. */
  public KvEventCodec() {
    this(DecodeLimits.DEFAULT);
  }

  /** With other limits for decoding. */
  public KvEventCodec(DecodeLimits limits) {
    this.limits = limits;
  }

  private ValueCodec batch(KvEvent.Style style) {
    ValueCodec events = new ListCodec(new KvEventUnion(schemas, style));
    RecordShape shape =
        new RecordShape(
            KvEventBatch.class,
            component ->
                component.getName().equals(EVENTS) ? events : schemas.fieldCodec(component));
    return new LooseTupleCodec(shape, null);
  }

  /**
   * The batch's bytes, its events in that style.
   *
   * @throws IllegalArgumentException if an event is of an unknown type
   */
  public byte[] encode(KvEventBatch batch, KvEvent.Style style) {
    try (MessageBufferPacker out = library.newPacker()) {
      (style == KvEvent.Style.ARRAY ? arrays : maps).write(out, batch);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does no I/O", e);
    }
  }

  /**
   * Reads a batch, its events in either style. What a later engine adds is passed over.
   *
   * @throws WireFormatException if the bytes are anything else
   */
  public KvEventBatch decode(byte[] bytes) throws WireFormatException {
    limits.requireAllowed(bytes);
    WireReader in = new WireReader(library, bytes, limits);
    KvEventBatch batch = (KvEventBatch) Objects.requireNonNull(arrays.read(in));
    in.requireEnd();
    return batch;
  }
}

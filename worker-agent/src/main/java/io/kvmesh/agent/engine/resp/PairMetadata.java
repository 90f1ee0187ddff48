package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The value of a key of LMCache's that ends in {@code metadata}: little-endian integers.
 *
 * <pre>
 *   0 length | 4 format | 8 dtype | 12 shape, 4 times | further groups of dtype and shape
 * </pre>
 *
 * @param length of the value of the key that ends in {@code kv_bytes}
 * @param form how its values lie
 */
record PairMetadata(int length, BodyForm form) {

  private static final int HEAD_BYTES = 8;
  private static final int GROUP_BYTES = 20;
  private static final int DIMS = 4;

  /** Where the body is, which this doesn't tell: in the CPU's memory. */
  private static final int LOCATION = 1;

  /** Takes a value apart. */
  static PairMetadata read(byte[] value) throws RespError {
    int groupBytes = value.length - HEAD_BYTES;
    if (groupBytes < GROUP_BYTES || groupBytes % GROUP_BYTES != 0) {
      throw RespError.of(
          "a value of %d bytes is no metadata, which has 8 and 20 for each group of values"
              .formatted(value.length));
    }
    ByteBuffer from = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    int length = from.getInt();
    int format = from.getInt();
    List<BodyForm.Group> groups = new ArrayList<>();
    while (from.hasRemaining()) {
      groups.add(group(from));
    }
    BodyForm form = new BodyForm(format, LOCATION, groups);
    if (ChunkDesk.misfit(length, form)) {
      throw RespError.of("the metadata's length of %d isn't that of its shape".formatted(length));
    }
    return new PairMetadata(length, form);
  }

  private static BodyForm.Group group(ByteBuffer from) throws RespError {
    int dtype = from.getInt();
    List<Integer> shape = new ArrayList<>(DIMS);
    for (int i = 0; i < DIMS; i++) {
      int dim = from.getInt();
      if (dim < 0) {
        throw RespError.of("the metadata's shape has a length of %d".formatted(dim));
      }
      shape.add(dim);
    }
    return new BodyForm.Group(dtype, shape);
  }

  byte[] write() {
    ByteBuffer into =
        ByteBuffer.allocate(HEAD_BYTES + GROUP_BYTES * form.groups().size())
            .order(ByteOrder.LITTLE_ENDIAN);
    into.putInt(length).putInt(form.format());
    for (BodyForm.Group group : form.groups()) {
      into.putInt(group.dtype());
      group.shape().forEach(into::putInt);
    }
    return into.array();
  }
}

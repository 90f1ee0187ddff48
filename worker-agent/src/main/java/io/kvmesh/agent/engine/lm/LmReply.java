package io.kvmesh.agent.engine.lm;

import io.kvmesh.agent.cache.BodyForm;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * What comes before the body of a reply, if any: nine little-endian integers. The location is at
 * another place than in a request.
 *
 * <pre>
 *   0 code | 4 length | 8 format | 12 dtype | 16 shape, 4 times | 32 location
 * </pre>
 *
 * @param length of the body that follows
 */
record LmReply(int code, int length, BodyForm form) {

  static final int BYTES = 36;

  private static final int SUCCESS = 200;
  private static final int FAIL = 400;

  /** In replies that have no body, as LMCache's server fills them. */
  private static final BodyForm NO_FORM =
      new BodyForm(1, 0, List.of(new BodyForm.Group(2, List.of(0, 0, 0, 0))));

  static final LmReply YES = new LmReply(SUCCESS, 0, NO_FORM);
  static final LmReply NO = new LmReply(FAIL, 0, NO_FORM);

  static LmReply body(int length, BodyForm form) {
    return new LmReply(SUCCESS, length, form);
  }

  void write(ByteBuffer into) {
    BodyForm.Group group = form.groups().getFirst();
    into.putInt(code).putInt(length).putInt(form.format()).putInt(group.dtype());
    group.shape().forEach(into::putInt);
    into.putInt(form.location());
  }
}

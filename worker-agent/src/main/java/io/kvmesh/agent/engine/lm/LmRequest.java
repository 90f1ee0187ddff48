package io.kvmesh.agent.engine.lm;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.engine.tcp.BadRequestException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What a client sends before its body, if any: nine little-endian integers and a key.
 *
 * <pre>
 *   0 command | 4 length | 8 format | 12 dtype | 16 location | 20 shape, 4 times | 36..185 key
 * </pre>
 *
 * The key is UTF-8, padded on the right with spaces, which it can't end with.
 *
 * @param length of the body that follows
 * @param form how its values lie
 */
record LmRequest(LmCommand command, int length, BodyForm form, String key) {

  static final int BYTES = 186;

  private static final int KEY_BYTES = 150;

  /**
   * Takes a header out of the buffer.
   *
   * @throws BadRequestException if it is none
   */
  static LmRequest read(ByteBuffer from) throws BadRequestException {
    int command = from.getInt();
    int length = from.getInt();
    int format = from.getInt();
    int dtype = from.getInt();
    int location = from.getInt();
    List<Integer> shape = List.of(from.getInt(), from.getInt(), from.getInt(), from.getInt());
    byte[] key = new byte[KEY_BYTES];
    from.get(key);
    BodyForm form = new BodyForm(format, location, List.of(new BodyForm.Group(dtype, shape)));
    LmCommand known =
        LmCommand.of(command)
            .orElseThrow(() -> new BadRequestException("there is no command " + command));
    if (length < 0 || (length > 0 && known != LmCommand.PUT)) {
      throw new BadRequestException("%s has a body of %d bytes".formatted(known, length));
    }
    return new LmRequest(known, length, form, text(key));
  }

  private static String text(byte[] padded) throws BadRequestException {
    int end = padded.length;
    while (end > 0 && padded[end - 1] == ' ') {
      end--;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(padded, 0, end)).toString();
    } catch (CharacterCodingException e) {
      throw new BadRequestException("the key isn't UTF-8");
    }
  }

  /**
   * Puts the header into the buffer.
   *
   * @throws IllegalArgumentException if the key is too long
   */
  void write(ByteBuffer into) {
    byte[] padded = new byte[KEY_BYTES];
    Arrays.fill(padded, (byte) ' ');
    ByteBuffer text = StandardCharsets.UTF_8.encode(CharBuffer.wrap(key));
    if (text.remaining() > KEY_BYTES) {
      throw new IllegalArgumentException(
          "A key has at most %d bytes, got %d".formatted(KEY_BYTES, text.remaining()));
    }
    text.get(padded, 0, text.remaining());
    BodyForm.Group group = form.groups().getFirst();
    into.putInt(command.number()).putInt(length).putInt(form.format()).putInt(group.dtype());
    into.putInt(form.location());
    group.shape().forEach(into::putInt);
    into.put(padded);
  }
}

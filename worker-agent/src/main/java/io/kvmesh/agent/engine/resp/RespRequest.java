package io.kvmesh.agent.engine.resp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A request while its arguments, the first of them its name, are taken one after the other. */
abstract sealed class RespRequest permits BulkRequest, InlineRequest {

  /** The longest argument but for a value that is stored. */
  static final int MAX_ARGUMENT_BYTES = 8000;

  /** Of all of them together, which are kept while the request is served. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private long keptBytes;

  /** How many are still to be taken. */
  abstract int left();

  /** Length of the next one, which then is taken by one of fill and skip. */
  abstract int open() throws IOException;

  /** Takes the one that was opened into memory of its length. */
  abstract void fill(MemorySegment target) throws IOException;

  /** Takes the one that was opened and forgets it. */
  abstract void skip() throws IOException;

  /** Takes the next one. */
  final byte[] next() throws IOException, RespError {
    int bytes = open();
    keptBytes += bytes;
    if (bytes > MAX_ARGUMENT_BYTES || keptBytes > MAX_KEPT_BYTES) {
      skip();
      throw RespError.of(
          "an argument of %d bytes: at most %d are taken, and %d of a request"
              .formatted(bytes, MAX_ARGUMENT_BYTES, MAX_KEPT_BYTES));
    }
    byte[] argument = new byte[bytes];
    fill(MemorySegment.ofArray(argument));
    return argument;
  }

  /** Takes the next one, which is text. */
  final String nextText() throws IOException, RespError {
    byte[] bytes = next();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw RespError.of("an argument that should be text isn't UTF-8");
    }
  }

  /** Takes all that are left, which are texts. */
  final List<String> restTexts() throws IOException, RespError {
    List<String> texts = new ArrayList<>(left());
    while (left() > 0) {
      texts.add(nextText());
    }
    return texts;
  }

  /** Takes all that are left and forgets them. */
  final void skipRest() throws IOException {
    while (left() > 0) {
      open();
      skip();
    }
  }
}

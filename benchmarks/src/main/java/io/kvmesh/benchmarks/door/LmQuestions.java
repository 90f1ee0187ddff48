package io.kvmesh.benchmarks.door;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What LMCache's {@code lm://} connector says, of chunks of values of one byte. */
final class LmQuestions {

  private static final int PUT = 1;
  private static final int GET = 2;
  private static final int HEALTH = 5;
  private static final int SUCCESS = 200;

  private static final int REQUEST_BYTES = 186;
  private static final int KEY_BYTES = 150;
  private static final int REPLY_BYTES = 36;

  private static final int FORMAT = 1;
  private static final int LOCATION = 1;
  private static final int UINT8 = 6;
  private static final int HALF = 2;

  private final int bodyBytes;

  LmQuestions(int bodyBytes) {
    this.bodyBytes = bodyBytes;
  }

  Question get(int number) {
    ByteBuffer head = reply(bodyBytes, UINT8, LOCATION, shape());
    return new Question(
        Question.joined(request(GET, number, 0)),
        Question.joined(head, Question.told(number)),
        REPLY_BYTES,
        REPLY_BYTES + bodyBytes);
  }

  /** A put isn't answered: what is answered is a question for the server's health behind it. */
  Question put(int number) {
    ByteBuffer healthy = reply(0, HALF, 0, new int[4]);
    return new Question(
        Question.joined(
            request(PUT, number, bodyBytes),
            Question.filled(bodyBytes, number),
            request(HEALTH, number, 0)),
        Question.joined(healthy),
        REPLY_BYTES,
        REPLY_BYTES);
  }

  private int[] shape() {
    return new int[] {2, 2, 16, bodyBytes / 64};
  }

  private ByteBuffer request(int command, int number, int length) {
    ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    request.putInt(command).putInt(length).putInt(FORMAT).putInt(UINT8).putInt(LOCATION);
    Arrays.stream(shape()).forEach(request::putInt);
    byte[] key = new byte[KEY_BYTES];
    Arrays.fill(key, (byte) ' ');
    byte[] text = key(number).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, key, 0, text.length);
    return request.put(key).flip();
  }

  private static ByteBuffer reply(int length, int dtype, int location, int[] shape) {
    ByteBuffer reply = ByteBuffer.allocate(REPLY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    reply.putInt(SUCCESS).putInt(length).putInt(FORMAT).putInt(dtype);
    Arrays.stream(shape).forEach(reply::putInt);
    return reply.putInt(location).flip();
  }

  /** As LMCache writes it. */
  static String key(int number) {
    return "benchmark@1@0@%016x@uint8".formatted(number + 1);
  }
}

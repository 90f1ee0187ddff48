package io.kvmesh.benchmarks.door;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** What LMCache's {@code resp://} connector says to a Redis, or to an agent's door for Redis. */
final class RespQuestions {

  private static final int LINE_END_BYTES = 2;

  private final int bodyBytes;

  RespQuestions(int bodyBytes) {
    this.bodyBytes = bodyBytes;
  }

  Question get(int number) {
    ByteBuffer head = text("$%d\r\n".formatted(bodyBytes));
    return new Question(
        Question.joined(text("*2\r\n$3\r\nGET\r\n" + bulk(LmQuestions.key(number)))),
        Question.joined(head, Question.told(number)),
        head.limit(),
        head.limit() + bodyBytes + LINE_END_BYTES);
  }

  Question set(int number) {
    String before = "*3\r\n$3\r\nSET\r\n" + bulk(LmQuestions.key(number));
    ByteBuffer done = text("+OK\r\n");
    return new Question(
        Question.joined(
            text(before + "$%d\r\n".formatted(bodyBytes)),
            Question.filled(bodyBytes, number),
            text("\r\n")),
        done,
        done.limit(),
        done.limit());
  }

  private static String bulk(String text) {
    return "$%d\r\n%s\r\n".formatted(text.length(), text);
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }
}

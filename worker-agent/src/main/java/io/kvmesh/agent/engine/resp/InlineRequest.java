package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.BadRequestException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A line, as people send it: arguments between blanks, in quotes where they have blanks themselves.
 * In double quotes {@code \n \r \t \b \a \xHH} are what they are elsewhere, and a backslash before
 * anything else is left out; in single quotes {@code \'} is a quote.
 */
final class InlineRequest extends RespRequest {

  private final Deque<byte[]> arguments = new ArrayDeque<>();
  private final byte[] line;
  private int at;

  private InlineRequest(byte[] line) {
    this.line = line;
  }

  /** Reads the arguments of a line. */
  static InlineRequest of(byte[] line) throws BadRequestException {
    InlineRequest request = new InlineRequest(line);
    request.split();
    return request;
  }

  private void split() throws BadRequestException {
    skipBlanks();
    while (at < line.length) {
      arguments.add(argument());
      skipBlanks();
    }
  }

  private void skipBlanks() {
    while (at < line.length && isBlank(line[at])) {
      at++;
    }
  }

  private static boolean isBlank(byte value) {
    return value == ' ' || (value >= '\t' && value <= '\r') || value == 0;
  }

  private byte[] argument() throws BadRequestException {
    ByteArrayOutputStream argument = new ByteArrayOutputStream();
    while (at < line.length && !isBlank(line[at])) {
      byte value = line[at++];
      if (value == '"' || value == '\'') {
        quoted(value, argument);
        return argument.toByteArray();
      }
      argument.write(value);
    }
    return argument.toByteArray();
  }

  /** Up to the closing quote, behind which the argument ends. */
  private void quoted(byte quote, ByteArrayOutputStream argument) throws BadRequestException {
    while (at < line.length && line[at] != quote) {
      argument.write(line[at] == '\\' ? escaped(quote) : line[at++]);
    }
    if (at == line.length || (at + 1 < line.length && !isBlank(line[at + 1]))) {
      throw new BadRequestException("unbalanced quotes in request");
    }
    at++;
  }

  private int escaped(byte quote) {
    boolean isLast = at + 1 == line.length;
    if (quote == '\'') {
      boolean isQuote = !isLast && line[at + 1] == '\'';
      at += isQuote ? 2 : 1;
      return isQuote ? '\'' : '\\';
    }
    if (at + 3 < line.length && line[at + 1] == 'x' && hex(at + 2) >= 0 && hex(at + 3) >= 0) {
      at += 4;
      return 16 * hex(at - 2) + hex(at - 1);
    }
    byte value = line[isLast ? at : at + 1];
    at += isLast ? 1 : 2;
    return switch (value) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> value;
    };
  }

  private int hex(int index) {
    return Character.digit(line[index], 16);
  }

  @Override
  int left() {
    return arguments.size();
  }

  @Override
  int open() {
    return arguments.getFirst().length;
  }

  @Override
  void fill(MemorySegment target) {
    target.copyFrom(MemorySegment.ofArray(arguments.removeFirst()));
  }

  @Override
  void skip() {
    arguments.removeFirst();
  }
}

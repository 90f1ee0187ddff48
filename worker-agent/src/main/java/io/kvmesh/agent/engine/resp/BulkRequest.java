package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.BadRequestException;
import io.kvmesh.agent.engine.tcp.TcpConnection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** An array of bulk strings, as programs send it: each has its length before it. */
final class BulkRequest extends RespRequest {

  private static final int LONGEST_NUMBER = 32;

  private final TcpConnection client;
  private final long maxBytes;
  private int left;
  private int opened;

  /**
   * @param count of arguments
   * @param maxBytes who announces a longer one is cut off
   */
  BulkRequest(TcpConnection client, int count, long maxBytes) {
    this.client = client;
    this.left = count;
    this.maxBytes = maxBytes;
  }

  /**
   * Reads the line of a number.
   *
   * @param mark what it begins with
   * @param what for the error
   */
  static long number(TcpConnection client, char mark, String what) throws IOException {
    byte[] line = client.line(LONGEST_NUMBER);
    if (line.length == 0 || line[0] != mark) {
      throw new BadRequestException(
          "expected '%s', got '%s'".formatted(mark, line.length == 0 ? "" : printable(line[0])));
    }
    try {
      return Long.parseLong(
          new String(line, 1, line.length - 1, StandardCharsets.ISO_8859_1).replace('+', '?'));
    } catch (NumberFormatException e) {
      throw new BadRequestException("invalid %s length".formatted(what));
    }
  }

  private static String printable(byte value) {
    return value > ' ' && value < 127 ? String.valueOf((char) value) : "?";
  }

  @Override
  int left() {
    return left;
  }

  @Override
  int open() throws IOException {
    long bytes = number(client, '$', "bulk");
    if (bytes < 0 || bytes > Math.min(maxBytes, Integer.MAX_VALUE)) {
      throw new BadRequestException("invalid bulk length");
    }
    left--;
    opened = (int) bytes;
    return opened;
  }

  @Override
  void fill(MemorySegment target) throws IOException {
    client.readInto(target);
    end();
  }

  @Override
  void skip() throws IOException {
    client.discard(opened);
    end();
  }

  private void end() throws IOException {
    ByteBuffer in = client.require(2);
    if (in.get() != '\r' || in.get() != '\n') {
      throw new BadRequestException("a bulk isn't as long as announced");
    }
  }
}

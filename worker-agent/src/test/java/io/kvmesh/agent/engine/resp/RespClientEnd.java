package io.kvmesh.agent.engine.resp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a Redis client does. Replies are texts: those of a line with their mark, values without; a
 * null is no value, an array a list.
 */
final class RespClientEnd implements AutoCloseable {

  final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  RespClientEnd(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    this.out = socket.getOutputStream();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A request: each argument is a text or bytes. */
  static byte[] request(Object... arguments) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(bytes("*" + arguments.length + "\r\n"));
    for (Object argument : arguments) {
      byte[] bytes = argument instanceof byte[] given ? given : bytes(argument.toString());
      request.writeBytes(bytes("$" + bytes.length + "\r\n"));
      request.writeBytes(bytes);
      request.writeBytes(bytes("\r\n"));
    }
    return request.toByteArray();
  }

  /** The metadata of values of one byte each, so many of them. */
  static byte[] metadata(int bytes) {
    return metadata(bytes, 6, 2, 2, 16, bytes / 64);
  }

  static byte[] metadata(int length, int dtype, int... shape) {
    ByteBuffer value = ByteBuffer.allocate(28).order(ByteOrder.LITTLE_ENDIAN);
    value.putInt(length).putInt(1).putInt(dtype);
    for (int dim : shape) {
      value.putInt(dim);
    }
    return value.array();
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  @Nullable Object ask(Object... arguments) throws IOException {
    send(request(arguments));
    return reply();
  }

  @Nullable Object line(String line) throws IOException {
    send(bytes(line + "\r\n"));
    return reply();
  }

  byte @Nullable [] get(String key) throws IOException {
    send(request("GET", key));
    return value();
  }

  /** The reply to a request for a value. */
  byte @Nullable [] value() throws IOException {
    String line = readLine();
    if (line.charAt(0) != '$') {
      throw new IOException("no value: " + line);
    }
    return readValue(Integer.parseInt(line.substring(1)));
  }

  private byte @Nullable [] readValue(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] value = new byte[length];
    in.readFully(value);
    if (in.readUnsignedByte() != '\r' || in.readUnsignedByte() != '\n') {
      throw new IOException("a value without its end");
    }
    return value;
  }

  @Nullable Object reply() throws IOException {
    String line = readLine();
    return switch (line.charAt(0)) {
      case '+', '-', ':' -> line;
      case '$' -> {
        byte[] value = readValue(Integer.parseInt(line.substring(1)));
        yield value == null ? null : new String(value, StandardCharsets.UTF_8);
      }
      case '*' -> replies(Integer.parseInt(line.substring(1)));
      default -> throw new IOException("no reply: " + line);
    };
  }

  List<@Nullable Object> replies(int count) throws IOException {
    List<@Nullable Object> replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(reply());
    }
    return replies;
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int value = in.readUnsignedByte();
    while (value != '\r') {
      line.write(value);
      value = in.readUnsignedByte();
    }
    if (in.readUnsignedByte() != '\n') {
      throw new IOException("a line without its end");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Whether the other side has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      reply();
      return false;
    } catch (EOFException | SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

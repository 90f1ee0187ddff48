package io.kvmesh.agent.engine.lm;

import io.kvmesh.agent.cache.BodyForm;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What LMCache's connector does. Bodies are of values of one byte. */
public final class LmClient implements AutoCloseable {

  final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  public LmClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** Of a full chunk of so many bytes, whose values have one byte. */
  static BodyForm form(int bytes) {
    return new BodyForm(1, 1, List.of(new BodyForm.Group(6, List.of(2, 2, 16, bytes / 64))));
  }

  static byte[] header(LmCommand command, String key, int length, BodyForm form) {
    ByteBuffer header = ByteBuffer.allocate(LmRequest.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    new LmRequest(command, length, form, key).write(header);
    return header.array();
  }

  static byte[] header(LmCommand command, String key) {
    BodyForm none = new BodyForm(1, 0, List.of(new BodyForm.Group(2, List.of(0, 0, 0, 0))));
    return header(command, key, 0, none);
  }

  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  public void put(String key, byte[] body) throws IOException {
    send(header(LmCommand.PUT, key, body.length, form(body.length)));
    send(body);
  }

  /** Null if it isn't to be had. */
  public byte @Nullable [] get(String key) throws IOException {
    send(header(LmCommand.GET, key));
    Reply reply = reply();
    return reply.code() == 200 ? in.readNBytes(reply.length()) : null;
  }

  public boolean exists(String key) throws IOException {
    send(header(LmCommand.EXIST, key));
    return reply().code() == 200;
  }

  public boolean isHealthy() throws IOException {
    send(header(LmCommand.HEALTH, ""));
    return reply().code() == 200;
  }

  /** Whether the other side has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  record Reply(int code, int length, BodyForm form) {}

  Reply reply() throws IOException {
    byte[] bytes = new byte[LmReply.BYTES];
    in.readFully(bytes);
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int code = header.getInt();
    int length = header.getInt();
    int format = header.getInt();
    int dtype = header.getInt();
    List<Integer> shape =
        List.of(header.getInt(), header.getInt(), header.getInt(), header.getInt());
    return new Reply(
        code,
        length,
        new BodyForm(format, header.getInt(), List.of(new BodyForm.Group(dtype, shape))));
  }

  byte[] body(int length) throws IOException {
    byte[] body = new byte[length];
    in.readFully(body);
    return body;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

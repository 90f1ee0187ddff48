package io.kvmesh.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends inline commands to a Redis and reads one-line replies. */
final class RespClient implements AutoCloseable {

  private final Socket socket;
  private final BufferedReader replies;

  RespClient(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(5_000);
    replies =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  String call(String command) throws IOException {
    socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
    return String.valueOf(replies.readLine());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

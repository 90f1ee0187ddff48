package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.List;

/** What a ZMTP 3.1 peer says, byte by byte. */
final class RawPeer {

  private static final int GREETING_BYTES = 64;

  private RawPeer() {}

  static byte[] greeting() {
    byte[] greeting = new byte[GREETING_BYTES];
    greeting[0] = (byte) 0xff;
    greeting[9] = 0x7f;
    greeting[10] = 3;
    greeting[11] = 1;
    System.arraycopy("NULL".getBytes(US_ASCII), 0, greeting, 12, 4);
    return greeting;
  }

  static byte[] ready(String socketType) {
    ByteArrayOutputStream ready = new ByteArrayOutputStream();
    String length = "\0\0\0" + (char) socketType.length();
    for (String part : List.of("\u0005READY", "\u000bSocket-Type", length, socketType)) {
      ready.writeBytes(part.getBytes(US_ASCII));
    }
    ByteArrayOutputStream command = new ByteArrayOutputStream();
    command.write(4);
    command.write(ready.size());
    command.writeBytes(ready.toByteArray());
    return command.toByteArray();
  }

  /** Sends both, and reads the other side's greeting. */
  static void shakeHands(Socket socket, String socketType) throws IOException {
    socket.getOutputStream().write(greeting());
    assertThat(socket.getInputStream().readNBytes(GREETING_BYTES)).hasSize(GREETING_BYTES);
    socket.getOutputStream().write(ready(socketType));
  }

  /** A frame of at most 255 bytes. */
  static byte[] frame(boolean more, byte[] content) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(more ? 1 : 0);
    frame.write(content.length);
    frame.writeBytes(content);
    return frame.toByteArray();
  }
}

package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.TcpConnection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes replies in RESP2. They go out before anything more is waited for. */
final class RespReplies {

  private static final byte[] END = {'\r', '\n'};

  private final TcpConnection client;

  RespReplies(TcpConnection client) {
    this.client = client;
  }

  void ok() throws IOException {
    simple("OK");
  }

  /** A word or a few, without a line's end. */
  void simple(String text) throws IOException {
    line('+', text);
  }

  /** Whatever ends lines in the text, which may be a client's, is a blank. */
  void error(String text) throws IOException {
    line('-', text.replaceAll("\\p{Cntrl}", " "));
  }

  void number(long value) throws IOException {
    line(':', Long.toString(value));
  }

  /** There is no such value. */
  void none() throws IOException {
    line('$', "-1");
  }

  void text(String text) throws IOException {
    bulk(text.getBytes(StandardCharsets.UTF_8));
  }

  void bulk(byte[] value) throws IOException {
    line('$', Integer.toString(value.length));
    put(value);
    put(END);
  }

  /** A value out of its memory. */
  void body(MemorySegment body) throws IOException {
    line('$', Long.toString(body.byteSize()));
    client.send(body, ByteBuffer.wrap(END));
  }

  /** So many values follow. */
  void array(int length) throws IOException {
    line('*', Integer.toString(length));
  }

  private void line(char mark, String text) throws IOException {
    put((mark + text + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private void put(byte[] bytes) throws IOException {
    for (int at = 0; at < bytes.length; at += TcpConnection.BUFFER_BYTES) {
      int piece = Math.min(bytes.length - at, TcpConnection.BUFFER_BYTES);
      client.room(piece).put(bytes, at, piece);
    }
  }
}

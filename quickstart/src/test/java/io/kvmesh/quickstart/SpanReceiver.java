package io.kvmesh.quickstart;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/** Takes spans as a collector does: OTLP over HTTP, in Protocol Buffers. */
final class SpanReceiver implements AutoCloseable {

  /**
   * A span.
   *
   * @param resource of the program that sent it
   */
  record Span(
      Map<String, String> resource, String traceId, String spanId, String parentId, String name) {

    String program() {
      return resource.getOrDefault("service.name", "");
    }

    String instance() {
      return resource.getOrDefault("service.instance.id", "");
    }
  }

  private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
  private final HttpServer server;

  SpanReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::take);
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  List<Span> spans(String traceId) {
    return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      ByteBuffer request = ByteBuffer.wrap(exchange.getRequestBody().readAllBytes());
      fields(request, (field, value) -> takeProgram(value));
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** ResourceSpans. */
  private void takeProgram(ByteBuffer message) {
    Map<String, String> resource = new HashMap<>();
    fields(
        message.duplicate(),
        (field, value) -> {
          if (field == 1) {
            fields(value, (number, attribute) -> takeAttribute(attribute, resource));
          }
        });
    fields(
        message,
        (field, value) -> {
          if (field == 2) {
            fields(value, (number, span) -> takeSpan(number, span, resource));
          }
        });
  }

  private static void takeAttribute(ByteBuffer attribute, Map<String, String> into) {
    Map<Integer, ByteBuffer> parts = parts(attribute);
    Map<Integer, ByteBuffer> value = parts(parts.getOrDefault(2, ByteBuffer.allocate(0)));
    if (value.containsKey(1)) {
      into.put(text(parts, 1), text(value, 1));
    }
  }

  private void takeSpan(int field, ByteBuffer message, Map<String, String> resource) {
    if (field == 2) {
      Map<Integer, ByteBuffer> span = parts(message);
      spans.add(new Span(resource, hex(span, 1), hex(span, 2), hex(span, 4), text(span, 5)));
    }
  }

  private static Map<Integer, ByteBuffer> parts(ByteBuffer message) {
    Map<Integer, ByteBuffer> parts = new HashMap<>();
    fields(message, parts::put);
    return parts;
  }

  /** The fields of a message that have a length; the others are passed over. */
  private static void fields(ByteBuffer message, BiConsumer<Integer, ByteBuffer> each) {
    message.order(ByteOrder.LITTLE_ENDIAN);
    while (message.hasRemaining()) {
      long key = varint(message);
      switch ((int) (key & 7)) {
        case 0 -> varint(message);
        case 1 -> message.position(message.position() + Long.BYTES);
        case 2 -> {
          int length = (int) varint(message);
          each.accept((int) (key >>> 3), message.slice(message.position(), length));
          message.position(message.position() + length);
        }
        case 5 -> message.position(message.position() + Integer.BYTES);
        default -> throw new IllegalArgumentException("No such wire type: " + key);
      }
    }
  }

  private static long varint(ByteBuffer from) {
    long value = 0;
    int shift = 0;
    byte next;
    do {
      next = from.get();
      value |= (next & 0x7fL) << shift;
      shift += 7;
    } while (next < 0);
    return value;
  }

  private static String text(Map<Integer, ByteBuffer> message, int field) {
    return new String(bytes(message, field), StandardCharsets.UTF_8);
  }

  private static String hex(Map<Integer, ByteBuffer> message, int field) {
    return HexFormat.of().formatHex(bytes(message, field));
  }

  private static byte[] bytes(Map<Integer, ByteBuffer> message, int field) {
    ByteBuffer value = message.getOrDefault(field, ByteBuffer.allocate(0)).duplicate();
    byte[] bytes = new byte[value.remaining()];
    value.get(bytes);
    return bytes;
  }
}

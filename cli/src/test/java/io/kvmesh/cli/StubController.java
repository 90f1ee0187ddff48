package io.kvmesh.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/** Answers as a controller would, and notes what it was asked. */
final class StubController implements AutoCloseable {

  private record Canned(int status, String body) {}

  private final HttpServer server;
  private final String scheme;
  private final Map<String, Canned> answers = new ConcurrentHashMap<>();
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private final List<String> requests = new CopyOnWriteArrayList<>();

  StubController() throws IOException {
    this(HttpServer.create(anyPort(), 0), "http");
  }

  private StubController(HttpServer server, String scheme) {
    this.server = server;
    this.scheme = scheme;
    server.createContext("/", this::handle);
    server.start();
  }

  /** One that speaks TLS. */
  static StubController secured(SSLContext certificate) throws IOException {
    HttpsServer server = HttpsServer.create(anyPort(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate));
    return new StubController(server, "https");
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** What a path with its query is answered with from now on. */
  StubController answer(String path, int status, String body) {
    answers.put(path, new Canned(status, body));
    return this;
  }

  StubController answer(String path, String body) {
    return answer(path, 200, body);
  }

  /** The same after a change of its text. */
  StubController change(String path, String from, String to) {
    Canned old = answers.get(path);
    if (old == null || !old.body().contains(from)) {
      throw new IllegalArgumentException(path + " isn't answered with " + from);
    }
    return answer(path, old.status(), old.body().replace(from, to));
  }

  /** It closes connections unanswered after so many answers. */
  StubController answerOnly(int answered) {
    left.set(answered);
    return this;
  }

  private void handle(HttpExchange exchange) throws IOException {
    if (left.getAndDecrement() <= 0) {
      exchange.close();
      return;
    }
    String path = exchange.getRequestURI().toString();
    byte[] body = exchange.getRequestBody().readAllBytes();
    requests.add(
        "%s %s %s"
            .formatted(
                exchange.getRequestMethod(), path, new String(body, StandardCharsets.UTF_8)));
    Canned canned =
        answers.getOrDefault(path, new Canned(404, "{\"detail\":\"no such resource\"}"));
    byte[] text = canned.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(canned.status(), text.length == 0 ? -1 : text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  /** Method, path and body of each request, in order. */
  List<String> requests() {
    return requests;
  }

  String url() {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

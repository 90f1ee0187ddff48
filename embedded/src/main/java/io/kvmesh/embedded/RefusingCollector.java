package io.kvmesh.embedded;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A collector of traces that takes none: it refuses them, at once or only when it is let. */
public final class RefusingCollector implements AutoCloseable {

  private static final long LONGEST_SECONDS = 60;

  private final HttpServer server;
  private final CountDownLatch letGo;

  private RefusingCollector(CountDownLatch letGo) throws IOException {
    this.letGo = letGo;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::refuse);
    server.start();
  }

  /** One that refuses at once. */
  public static RefusingCollector start() throws IOException {
    return new RefusingCollector(new CountDownLatch(0));
  }

  /** One that answers nobody until {@link #letGo}. */
  public static RefusingCollector startSilent() throws IOException {
    return new RefusingCollector(new CountDownLatch(1));
  }

  private void refuse(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!letGo.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("nobody let the collector answer");
      }
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(400, -1);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Where spans go, for OTLP over HTTP. */
  public String endpoint() {
    return "http://127.0.0.1:%d/v1/traces".formatted(server.getAddress().getPort());
  }

  /** From now on it answers. */
  public void letGo() {
    letGo.countDown();
  }

  @Override
  public void close() {
    letGo();
    server.stop(0);
  }
}

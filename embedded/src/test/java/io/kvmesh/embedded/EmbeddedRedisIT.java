package io.kvmesh.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisIT {

  @TempDir Path dir;

  @Test
  void comesBackEmptyOnTheSamePort() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(dir, 0)) {
      String uri = redis.uri();
      assertThat(call(redis, "SET k v")).isEqualTo("+OK");
      assertThat(call(redis, "DBSIZE")).isEqualTo(":1");

      redis.restart();

      assertThat(redis.uri()).isEqualTo(uri).endsWith(":" + redis.port());
      assertThat(call(redis, "DBSIZE")).isEqualTo(":0");
    }
  }

  @Test
  void nothingListensAfterStop() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(dir, 0)) {
      redis.stop();
      redis.stop();
      assertThatThrownBy(() -> call(redis, "PING")).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void namesABusyPort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> EmbeddedRedis.start(dir, port))
          .isInstanceOf(IOException.class)
          .hasMessage("Redis cannot listen on 127.0.0.1:" + port + ": the port is in use");
    }
  }

  private static String call(EmbeddedRedis redis, String command) throws IOException {
    try (RespClient client = new RespClient(redis.port())) {
      return client.call(command);
    }
  }
}

package io.kvmesh.common.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {

  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  @Test
  void portThatIsListenedOn_isNotFree() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK)) {
      assertThat(LoopbackPorts.isFree(taken.getLocalPort())).isFalse();
      assertThatThrownBy(() -> LoopbackPorts.requireFree(taken.getLocalPort(), "It"))
          .isInstanceOf(BindException.class)
          .hasMessageContaining("It cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  @Test
  void portGivenOut_whileProcessesAreStarted_canBeListenedOnAtOnce() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> starter = CompletableFuture.runAsync(() -> startProcesses(over));
    try {
      for (int i = 0; i < 1_000; i++) {
        int port = LoopbackPorts.free();
        LoopbackPorts.requireFree(port, "It");
        try (ServerSocket server = new ServerSocket(port, 1, LOOPBACK)) {
          assertThat(server.getLocalPort()).isEqualTo(port);
        }
      }
    } finally {
      over.set(true);
      starter.join();
    }
  }

  private static void startProcesses(AtomicBoolean over) {
    try {
      while (!over.get()) {
        new ProcessBuilder("true").start().waitFor();
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

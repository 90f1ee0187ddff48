package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.ControllerDirectory;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.DirectorySettings;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * ZMQ-2: who asks dead peers and dead controllers again and again opens no more and more files. The
 * property {@code kvmesh.test.soak} says for how many seconds.
 */
class DeadPeersIT {

  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 12));

  /** What the other JVM runs, so that all of its files are its own. */
  static final class Main {

    private static final Duration ATTEMPT = Duration.ofMillis(50);
    private static final int DEAD = 50;
    private static final int SILENT = 5;
    private static final int BACKLOG = 200;

    private Main() {}

    public static void main(String[] args) throws Exception {
      Duration soak = Duration.parse(args[0]);
      List<ServerSocket> listening = new ArrayList<>();
      List<String> addresses = new ArrayList<>();
      for (int i = 0; i < DEAD + SILENT; i++) {
        ServerSocket each = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        addresses.add("127.0.0.1:" + each.getLocalPort());
        listening.add(each);
      }
      for (ServerSocket each : listening.subList(0, DEAD)) {
        each.close();
      }
      ask(addresses, soak);
      for (ServerSocket each : listening) {
        each.close();
      }
    }

    private static void ask(List<String> addresses, Duration soak) throws Exception {
      try (TestAgent asker =
              TestAgent.named("asker").connectTimeout(ATTEMPT).passOver(ATTEMPT).start();
          ControllerDirectory directory = directory(asker, addresses)) {
        directory.start();
        round(asker, directory, addresses);
        System.gc();
        long files = files();
        long begin = System.nanoTime();
        long rounds = 0;
        while (System.nanoTime() - begin < soak.toNanos()) {
          round(asker, directory, addresses);
          rounds++;
        }
        asker.requireSettled();
        System.out.printf("rounds=%d%n", rounds);
        System.out.printf("files=%d%n", files);
        System.out.printf("more=%d%n", files() - files);
        System.out.printf("sockets=%d%n", asker.sockets.stats().openSockets());
        System.out.printf("faults=%d%n", asker.sockets.stats().ioFaults());
      }
    }

    private static ControllerDirectory directory(TestAgent asker, List<String> addresses) {
      return new ControllerDirectory(
          new WorkerId("me", 0),
          new DirectorySettings(
              List.of(addresses.getFirst(), addresses.getLast()),
              SocketSettings.DEFAULT,
              ATTEMPT,
              ATTEMPT,
              8),
          asker.sockets,
          new MessageCodec(),
          new Counters<>(DirectoryCount.class),
          Traces.off(),
          System::nanoTime);
    }

    private static void round(
        TestAgent asker, ControllerDirectory directory, List<String> addresses)
        throws InterruptedException {
      List<Thread> pulls = new ArrayList<>();
      for (String address : addresses) {
        pulls.add(
            Thread.startVirtualThread(
                () -> {
                  try {
                    asker.pull(address, TestAgent.keys(1, 2), ATTEMPT.multipliedBy(2));
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
      }
      directory.lookup(
          Keyspace.parse("m@1@0@half"), List.of(ChunkHash.ofSigned(1)), ATTEMPT.multipliedBy(3));
      for (Thread each : pulls) {
        each.join();
      }
    }

    private static long files() throws IOException {
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        return open.count();
      }
    }
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void deadAndSilentPeersAndControllers_costNoMoreFilesAsTimePasses() throws Exception {
    OtherJvm ended = OtherJvm.run(Main.class, SOAK.toString(), "-Xmx256m");

    assertThat(ended.figure("rounds")).as(ended.printed()).isGreaterThan(5);
    assertThat(ended.figure("more")).as(ended.printed()).isLessThan(20);
    assertThat(ended.figure("faults")).as(ended.printed()).isZero();
  }
}

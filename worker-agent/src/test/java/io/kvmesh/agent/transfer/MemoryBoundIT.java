package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkKey;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * MEM-4, MEM-7: chunks, heap and direct memory have a bound each, and together with 256 MiB for all
 * else they are what the process takes. MEM-9: of what was received nothing stays on the heap. The
 * property {@code kvmesh.test.soak} says for how many seconds.
 */
class MemoryBoundIT {

  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("kvmesh.test.soak", 3));
  private static final int MIB = 1 << 20;
  private static final int HEAP_MIB = 128;
  private static final int DIRECT_MIB = 32;
  private static final int PAGES = 96;
  private static final int AGENTS = 2;

  /** What the other JVM runs: two agents with full caches, of which one pulls from the other. */
  static final class Main {

    private static final int THREADS = 4;
    private static final int BATCH = 8;

    private Main() {}

    public static void main(String[] args) throws Exception {
      Duration soak = Duration.parse(args[0]);
      try (TestAgent owner = agent("owner");
          TestAgent asker = agent("asker");
          ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
        owner.store(TestAgent.keys(1, PAGES));
        asker.store(TestAgent.keys(1_000, PAGES));
        long end = System.nanoTime() + soak.toNanos();
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          Random random = new Random(i);
          tasks.add(() -> pull(asker, owner.address(), random, end));
        }
        long pulled = 0;
        for (Future<Long> each : threads.invokeAll(tasks)) {
          pulled += each.get();
        }
        asker.requireSettled();
        owner.requireSettled();
        System.out.printf("pulled=%d%n", pulled);
      }
      System.out.printf("residentMiB=%d%n", mostResidentMebibytes());
      System.out.printf("bytesOnHeap=%d%n", bytesOnHeap());
    }

    /** May have more in flight than there is direct memory. */
    private static TestAgent agent(String name) throws Exception {
      return TestAgent.named(name).pages(PAGES, MIB).getBytes(BATCH * MIB).start();
    }

    private static long pull(TestAgent asker, String from, Random random, long end)
        throws InterruptedException {
      long pulled = 0;
      do {
        List<ChunkKey> keys = TestAgent.keys(1 + random.nextInt(PAGES - BATCH), BATCH);
        asker.pull(from, keys, Duration.ofSeconds(20));
        pulled = asker.cache.stats().admitted();
        if (random.nextInt(4) == 0) {
          asker.cache.clear();
        }
      } while (System.nanoTime() < end);
      return pulled;
    }

    private static long mostResidentMebibytes() throws Exception {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10)
          .findFirst()
          .orElseThrow();
    }

    /** Of all byte arrays that something refers to. */
    private static long bytesOnHeap() throws Exception {
      String histogram =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
      return histogram
          .lines()
          .filter(line -> line.trim().matches(".*\\s\\[B(\\s.*)?"))
          .mapToLong(line -> Long.parseLong(line.trim().split("\\s+", -1)[2]))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void fullCachesAndPulls_stayWithinTheSumOfTheBounds() throws Exception {
    OtherJvm ended =
        OtherJvm.run(
            Main.class,
            SOAK.toString(),
            "-Xmx" + HEAP_MIB + "m",
            "-XX:MaxDirectMemorySize=" + DIRECT_MIB + "m",
            "-XX:+ExitOnOutOfMemoryError");

    assertThat(ended.figure("pulled")).as("chunks pulled").isPositive();
    long limitMiB = HEAP_MIB + DIRECT_MIB + AGENTS * PAGES + 256;
    assertThat(ended.figure("residentMiB")).as(ended.printed()).isLessThan(limitMiB * 95 / 100);
    assertThat(ended.figure("bytesOnHeap")).as(ended.printed()).isLessThan(50L * MIB);
  }
}

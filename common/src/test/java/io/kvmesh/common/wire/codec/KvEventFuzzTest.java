package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.wire.vllm.AllBlocksCleared;
import io.kvmesh.common.wire.vllm.BlockRemoved;
import io.kvmesh.common.wire.vllm.BlockStored;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEvent.Style;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import io.kvmesh.common.wire.vllm.UnknownEvent;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever the bytes: a batch or a WireFormatException, and no wild allocation. */
class KvEventFuzzTest {

  private static final int ALLOCATED_A_BYTE = 200;
  private static final int ALLOCATED_ANYWAY = 256 << 10;
  private static final List<Class<?>> TYPES =
      List.of(BlockStored.class, BlockRemoved.class, AllBlocksCleared.class);

  private final KvEventCodec codec = new KvEventCodec();
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private boolean warm;

  KvEventFuzzTest() {
    // Classes are loaded once, which allocates.
    goldenBatches().forEach(this::decode);
    decode(new byte[0]);
    warm = true;
  }

  private void decode(byte[] bytes) {
    long before = threads.getCurrentThreadAllocatedBytes();
    KvEventBatch batch = null;
    try {
      batch = codec.decode(bytes);
    } catch (WireFormatException e) {
      assertThat(e.offset()).isBetween(0, bytes.length);
      assertThat(e.path()).startsWith("$");
    } catch (RuntimeException | Error e) {
      throw new AssertionError(describe(bytes), e);
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    if (warm && allocated > ALLOCATED_ANYWAY + (long) ALLOCATED_A_BYTE * bytes.length) {
      throw new AssertionError(describe(bytes) + ": allocated " + allocated);
    }
    if (batch != null && batch.events().stream().noneMatch(UnknownEvent.class::isInstance)) {
      assertThat(again(batch, Style.ARRAY)).isEqualTo(batch);
      assertThat(again(batch, Style.MAP)).isEqualTo(batch);
    }
  }

  private KvEventBatch again(KvEventBatch batch, Style style) {
    try {
      return codec.decode(codec.encode(batch, style));
    } catch (WireFormatException e) {
      throw new AssertionError("seed " + seed + ": " + batch, e);
    }
  }

  private String describe(byte[] bytes) {
    return "seed %d: %s".formatted(seed, HexFormat.of().formatHex(bytes));
  }

  private static List<byte[]> goldenBatches() {
    return GoldenFile.read("vllm_events.json", "vectors")
        .map(vector -> HexFormat.of().parseHex(vector.path("msgpack_hex").asString()))
        .toList();
  }

  @Test
  void randomBatches_comeBack() throws Exception {
    RandomMessages values = new RandomMessages(random);
    for (int i = 0; i < 200; i++) {
      List<KvEvent> events = new ArrayList<>();
      for (int n = random.nextInt(4); n > 0; n--) {
        events.add((KvEvent) values.next(TYPES.get(random.nextInt(TYPES.size()))));
      }
      var batch = new KvEventBatch(random.nextDouble(), events, i % 2 == 0 ? null : i);
      for (Style style : Style.values()) {
        assertThat(again(batch, style)).as("seed %d", seed).isEqualTo(batch);
      }
    }
  }

  @Test
  void truncatedBatches_everyLength_neverAnotherException() {
    for (byte[] batch : goldenBatches()) {
      for (int length = 0; length < batch.length; length++) {
        decode(Arrays.copyOf(batch, length));
      }
    }
  }

  @Test
  void mutatedBatches_neverAnotherException() {
    List<byte[]> batches = goldenBatches();
    for (int i = 0; i < 15_000; i++) {
      byte[] batch = batches.get(random.nextInt(batches.size())).clone();
      for (int change = 1 + random.nextInt(3); change > 0; change--) {
        batch[random.nextInt(batch.length)] = (byte) random.nextInt();
      }
      decode(batch);
    }
  }
}

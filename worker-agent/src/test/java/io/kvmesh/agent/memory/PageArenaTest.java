package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PageArenaTest {

  @Test
  void anonymous_isZeroedAndWritableFromEndToEnd() {
    long size = 3 * 4096 + 17;
    try (PageArena arena = PageArena.anonymous(size)) {
      MemorySegment bytes = arena.bytes();
      assertThat(arena.byteSize()).isEqualTo(size);
      assertThat(bytes.asSlice(0, size).mismatch(MemorySegment.ofArray(new byte[(int) size])))
          .isEqualTo(-1);
      bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
      bytes.set(ValueLayout.JAVA_BYTE, size - 1, (byte) 2);
      assertThat(bytes.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 2);
    }
  }

  @Test
  void anonymous_largerThanMemory_costsOnlyWhatIsTouched() {
    try (PageArena arena = PageArena.anonymous(1L << 38)) {
      arena.bytes().set(ValueLayout.JAVA_BYTE, (1L << 38) - 1, (byte) 3);
      assertThat(arena.bytes().get(ValueLayout.JAVA_BYTE, (1L << 38) - 1)).isEqualTo((byte) 3);
    }
  }

  @Test
  void anonymous_beyondTheAddressSpace_saysHowMuchAndWhy() {
    assertThatThrownBy(() -> PageArena.anonymous(Long.MAX_VALUE - 4096))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining("9223372036854771711 bytes")
        .hasMessageContaining("errno 12");
    assertThatThrownBy(() -> PageArena.anonymous(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void close_twice_unmapsOnceAndRefusesAccess() {
    PageArena arena = PageArena.anonymous(4096);
    MemorySegment bytes = arena.bytes();
    arena.close();
    arena.close();
    assertThatThrownBy(() -> bytes.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  /** UAF-9: neither the closer nor the readers get anything but a clean answer. */
  @Test
  @Timeout(60)
  void close_whileOthersRead_waitsForThem_andTheyAreRefusedAfterwards() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int round = 0; round < 20; round++) {
        PageArena arena = PageArena.anonymous(1 << 20);
        CountDownLatch reading = new CountDownLatch(4);
        List<Future<Long>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          readers.add(threads.submit(() -> sumUntilClosed(arena, reading)));
        }
        reading.await();
        arena.close();
        for (Future<Long> reader : readers) {
          assertThat(reader.get()).isPositive();
        }
      }
    }
  }

  private static long sumUntilClosed(PageArena arena, CountDownLatch reading) {
    long rounds = 0;
    try {
      while (true) {
        CRC32C checksum = new CRC32C();
        checksum.update(arena.bytes().asByteBuffer());
        if (rounds++ == 0) {
          reading.countDown();
        }
      }
    } catch (IllegalStateException closed) {
      return rounds;
    }
  }
}

package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

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
}

package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageAllocatorTest {

  private static final int PAGE = 64;

  private final PageArena arena = PageArena.anonymous(10 * PAGE + 5);
  private final PageAllocator pages = new PageAllocator(arena, PAGE);

  @AfterEach
  void close() {
    arena.close();
  }

  /** ALLOC-11. */
  @ParameterizedTest
  @CsvSource({
    "1024, 1024, 1",
    "1536, 1024, 1",
    "3071, 1024, 2",
    "10737418241, 1048576, 10240",
    "10737418241, 1073741824, 10"
  })
  void pagesIn_isRoundedDown(long arenaBytes, int pageBytes, int expected) {
    assertThat(PageAllocator.pagesIn(arenaBytes, pageBytes)).isEqualTo(expected);
  }

  @Test
  void pagesIn_lessThanOnePage_isRefusedWithBothSizes() {
    assertThatThrownBy(() -> PageAllocator.pagesIn(1023, 1024))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1023 bytes")
        .hasMessageContaining("1024 bytes");
  }

  @Test
  void tryAllocate_givesTheLongestFreePage() {
    for (int page = 0; page < 10; page++) {
      assertThat(pages.tryAllocate()).isEqualTo(page);
    }
    assertThat(pages.tryAllocate()).isEqualTo(-1);
    pages.free(7);
    pages.free(3);
    assertThat(pages.tryAllocate()).isEqualTo(7);
    assertThat(pages.tryAllocate()).isEqualTo(3);
  }

  @Test
  void free_twice_isRefusedAndChangesNothing() {
    int page = pages.tryAllocate();
    pages.free(page);
    assertThatThrownBy(() -> pages.free(page))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Page 0");
    assertThat(pages.freePages()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 10, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void foreignPage_isRefused(int page) {
    assertThatThrownBy(() -> pages.free(page)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pages.segment(page)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pages.generation(page)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void grow_addsPagesToTheEnd_andMovesNone() {
    PageAllocator growing = new PageAllocator(arena, PAGE, 4);
    assertThat(growing.capacity()).isEqualTo(4);
    assertThat(growing.maxCapacity()).isEqualTo(10);
    for (int page = 0; page < 4; page++) {
      assertThat(growing.tryAllocate()).isEqualTo(page);
      growing.segment(page).fill((byte) page);
    }
    assertThat(growing.tryAllocate()).isEqualTo(-1);
    assertThatThrownBy(() -> growing.segment(4)).isInstanceOf(IndexOutOfBoundsException.class);

    assertThat(growing.grow(3)).isEqualTo(3);
    growing.free(2);
    assertThat(growing.freePages()).isEqualTo(4);
    for (int page : new int[] {4, 5, 6, 2}) {
      assertThat(growing.tryAllocate()).as("the longest free").isEqualTo(page);
    }
    assertThat(growing.segment(3).get(ValueLayout.JAVA_BYTE, PAGE - 1)).isEqualTo((byte) 3);
    assertThat(growing.grow(100)).as("up to the end").isEqualTo(3);
    assertThat(growing.grow(1)).isZero();
    assertThat(growing.capacity()).isEqualTo(10);
    assertThat(growing.freePages()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 11, Integer.MAX_VALUE})
  void initialPages_outsideOfTheArena_areRefused(int initial) {
    assertThatThrownBy(() -> new PageAllocator(arena, PAGE, initial))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Integer.toString(initial));
    assertThatThrownBy(() -> pages.grow(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomUseWhileItGrows_neverLeaks(long seed) {
    Random random = new Random(seed);
    PageAllocator growing = new PageAllocator(arena, PAGE, 1);
    List<Integer> held = new ArrayList<>();
    for (int step = 0; step < 5_000; step++) {
      int kind = random.nextInt(500);
      if (kind == 0) {
        growing.grow(random.nextInt(3));
      } else if (kind < 250) {
        int page = growing.tryAllocate();
        if (page >= 0) {
          assertThat(held).as("seed %d step %d", seed, step).doesNotContain(page);
          held.add(page);
        }
      } else if (!held.isEmpty()) {
        Collections.swap(held, random.nextInt(held.size()), held.size() - 1);
        growing.free(held.removeLast());
      }
      assertThat(growing.freePages() + held.size())
          .as("seed %d step %d", seed, step)
          .isEqualTo(growing.capacity());
    }
    held.forEach(growing::free);
    assertThat(growing.freePages()).as("seed %d", seed).isEqualTo(growing.capacity());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomUse_neverOverlapsNorLeaks(long seed) {
    Random random = new Random(seed);
    Deque<Integer> modelFree = new ArrayDeque<>();
    for (int page = 0; page < pages.capacity(); page++) {
      modelFree.add(page);
    }
    List<Integer> held = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (random.nextBoolean()) {
        int page = pages.tryAllocate();
        Integer expected = modelFree.poll();
        assertThat(page)
            .as("seed %d step %d", seed, step)
            .isEqualTo(expected == null ? -1 : expected);
        if (page >= 0) {
          pages.segment(page).fill((byte) page);
          held.add(page);
        }
      } else if (!held.isEmpty()) {
        Collections.swap(held, random.nextInt(held.size()), held.size() - 1);
        int page = held.removeLast();
        requireFilled(page, "seed %d step %d".formatted(seed, step));
        pages.free(page);
        modelFree.add(page);
      }
      assertThat(pages.freePages()).isEqualTo(modelFree.size());
    }
  }

  private void requireFilled(int page, String at) {
    MemorySegment bytes = pages.segment(page);
    assertThat(bytes.byteSize()).isEqualTo(PAGE);
    for (int i = 0; i < PAGE; i++) {
      assertThat(bytes.get(ValueLayout.JAVA_BYTE, i)).as(at).isEqualTo((byte) page);
    }
  }
}

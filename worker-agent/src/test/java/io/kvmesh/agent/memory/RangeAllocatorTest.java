package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RangeAllocatorTest {

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  private final List<PageArena> arenas = new ArrayList<>();

  @AfterEach
  void close() {
    arenas.forEach(PageArena::close);
  }

  private PageArena arena(long byteSize) {
    PageArena arena = PageArena.anonymous(byteSize);
    arenas.add(arena);
    return arena;
  }

  private RangeAllocator ranges(long byteSize) {
    return new RangeAllocator(arena(byteSize));
  }

  @Test
  void tryAllocate_givesTheFirstFitInAddressOrder_roundedUpToTheAlignment() {
    RangeAllocator ranges = ranges(64 * KIB);
    assertThat(ranges.tryAllocate(1)).isZero();
    assertThat(ranges.tryAllocate(4097)).isEqualTo(4 * KIB);
    assertThat(ranges.tryAllocate(8 * KIB)).isEqualTo(12 * KIB);
    assertThat(ranges.freeBytes()).isEqualTo(44 * KIB);

    ranges.free(0);
    ranges.free(4 * KIB);
    assertThat(ranges.largestFreeBytes()).isEqualTo(44 * KIB);
    assertThat(ranges.tryAllocate(12 * KIB)).isZero();
    assertThat(ranges.tryAllocate(44 * KIB)).isEqualTo(20 * KIB);
    assertThat(ranges.freeBytes()).isZero();
    assertThat(ranges.tryAllocate(1)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({"4096, 4096", "8191, 4096", "8192, 8192", "12287, 8192"})
  void capacity_isRoundedDownToTheAlignment(long arenaBytes, long expected) {
    RangeAllocator ranges = ranges(arenaBytes);
    assertThat(ranges.capacityBytes()).isEqualTo(expected);
    assertThat(ranges.freeBytes()).isEqualTo(expected);
  }

  @Test
  void anArenaSmallerThanTheAlignment_isRefused() {
    PageArena arena = arena(4095);
    assertThatThrownBy(() -> new RangeAllocator(arena))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4095 bytes")
        .hasMessageContaining("4096");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 3, 4095, 12288, Integer.MIN_VALUE})
  void anAlignmentThatIsNoPowerOfTwo_isRefused(int alignment) {
    PageArena arena = arena(MIB);
    assertThatThrownBy(() -> new RangeAllocator(arena, alignment, MIB))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Integer.toString(alignment));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void aRangeOfNoBytes_isRefused(int bytes) {
    RangeAllocator ranges = ranges(MIB);
    assertThatThrownBy(() -> ranges.tryAllocate(bytes))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranges.tryAllocate(new int[] {1, bytes}, new long[2]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(ranges.freeBytes()).isEqualTo(MIB);
  }

  @Test
  void theLargestInt_isARangeLikeAnyOther() {
    RangeAllocator ranges = ranges(5L << 30);
    assertThat(ranges.tryAllocate(Integer.MAX_VALUE)).isZero();
    assertThat(ranges.tryAllocate(Integer.MAX_VALUE)).isEqualTo(1L << 31);
    assertThat(ranges.tryAllocate(Integer.MAX_VALUE)).isEqualTo(-1);
    ranges.free(1L << 31);
    ranges.free(0);
    assertThat(ranges.largestFreeBytes()).isEqualTo(5L << 30);
  }

  @Test
  void free_ofWhatIsNotGivenOut_isRefusedAndChangesNothing() {
    RangeAllocator ranges = ranges(MIB);
    long offset = ranges.tryAllocate(16 * KIB);
    long other = ranges.tryAllocate(16 * KIB);
    ranges.free(offset);
    assertThatThrownBy(() -> ranges.free(offset))
        .as("a second time")
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("offset 0");
    assertThatThrownBy(() -> ranges.free(other + 4 * KIB))
        .as("inside a range")
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ranges.free(512 * KIB))
        .as("free memory")
        .isInstanceOf(IllegalStateException.class);
    assertThat(ranges.freeBytes()).isEqualTo(MIB - 16 * KIB);
    ranges.free(other);
    assertThat(ranges.largestFreeBytes()).isEqualTo(MIB);
  }

  @ParameterizedTest
  @ValueSource(longs = {-4096, -1, MIB, MIB + 4096, Long.MAX_VALUE, Long.MIN_VALUE})
  void foreignAddress_isRefused(long offset) {
    RangeAllocator ranges = ranges(MIB);
    assertThatThrownBy(() -> ranges.free(offset)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ranges.segment(offset, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void segment_isOfTheBytesAsked() {
    RangeAllocator ranges = ranges(MIB);
    long offset = ranges.tryAllocate(5000);
    assertThat(ranges.segment(offset, 5000).byteSize()).isEqualTo(5000);
    assertThatThrownBy(() -> ranges.segment(MIB - 10, 11))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ranges.segment(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void batch_isNotNecessarilyContiguous() {
    RangeAllocator ranges = ranges(10L * 4 * KIB);
    for (int i = 0; i < 10; i++) {
      ranges.tryAllocate(4 * KIB);
    }
    for (int i : new int[] {1, 4, 5, 6, 9}) {
      ranges.free(i * 4L * KIB);
    }
    long[] offsets = new long[3];
    assertThat(ranges.tryAllocate(new int[] {4 * KIB, 8 * KIB, 4 * KIB}, offsets)).isTrue();
    assertThat(offsets).containsExactly(4 * KIB, 16 * KIB, 24 * KIB);
    assertThat(ranges.freeBytes()).isEqualTo(4 * KIB);
  }

  @Test
  void batch_thatDoesNotFit_leavesEverythingAsItWas() {
    RangeAllocator ranges = ranges(10L * 4 * KIB);
    for (int i = 0; i < 10; i++) {
      ranges.tryAllocate(4 * KIB);
    }
    for (int i : new int[] {1, 4, 5, 6, 9}) {
      ranges.free(i * 4L * KIB);
    }
    int[] sizes = {4 * KIB, 8 * KIB, 8 * KIB};
    assertThat(ranges.tryAllocate(sizes, new long[3])).isFalse();
    assertThat(ranges.freeBytes()).isEqualTo(20 * KIB);
    assertThat(ranges.largestFreeBytes()).isEqualTo(12 * KIB);
    assertThat(ranges.freeRanges()).isEqualTo(3);
    assertThat(ranges.tryAllocate(4 * KIB)).isEqualTo(4 * KIB);
    assertThat(ranges.tryAllocate(12 * KIB)).isEqualTo(16 * KIB);
  }

  @Test
  void batch_ofOtherLengthThanItsOffsets_isRefused() {
    RangeAllocator ranges = ranges(MIB);
    assertThatThrownBy(() -> ranges.tryAllocate(new int[2], new long[3]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(ranges.tryAllocate(new int[0], new long[0])).isTrue();
  }

  @Test
  void fragmentation_isOneLessTheLargestShareOfTheFree() {
    RangeAllocator ranges = ranges(4L * 4 * KIB);
    assertThat(ranges.fragmentation()).isZero();
    for (int i = 0; i < 4; i++) {
      ranges.tryAllocate(4 * KIB);
    }
    assertThat(ranges.fragmentation()).as("nothing free").isZero();
    ranges.free(0);
    ranges.free(8 * KIB);
    assertThat(ranges.fragmentation()).isEqualTo(0.5);
    ranges.free(4 * KIB);
    assertThat(ranges.fragmentation()).isZero();
  }

  @Test
  void grow_addsToTheEnd_movesNothingAndCoalesces() {
    RangeAllocator ranges = new RangeAllocator(arena(MIB + 100), 4096, 64 * KIB);
    assertThat(ranges.capacityBytes()).isEqualTo(64 * KIB);
    assertThat(ranges.maxCapacityBytes()).isEqualTo(MIB);
    long first = ranges.tryAllocate(60 * KIB);
    ranges.segment(first, 60 * KIB).fill((byte) 5);
    assertThat(ranges.tryAllocate(8 * KIB)).isEqualTo(-1);

    assertThat(ranges.grow(5000)).as("rounded up").isEqualTo(8 * KIB);
    assertThat(ranges.freeRanges()).isEqualTo(1);
    assertThat(ranges.tryAllocate(12 * KIB)).as("across the edge").isEqualTo(60 * KIB);

    assertThat(ranges.grow(1L << 40)).as("up to the end").isEqualTo(MIB - 72 * KIB);
    assertThat(ranges.grow(4096)).isZero();
    assertThat(ranges.capacityBytes()).isEqualTo(MIB);
    assertThat(ranges.segment(first, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 5);
    ranges.free(first);
    ranges.free(60 * KIB);
    assertThat(ranges.largestFreeBytes()).isEqualTo(MIB);
    assertThatThrownBy(() -> ranges.grow(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void memoryNotGrownInto_isForeign() {
    RangeAllocator ranges = new RangeAllocator(arena(MIB), 4096, 64 * KIB);
    assertThatThrownBy(() -> ranges.segment(64 * KIB, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ranges.free(64 * KIB)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  /** ALLOC-9. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void freedInAnyOrder_allIsOneRangeAgain(long seed) {
    Random random = new Random(seed);
    RangeAllocator ranges = ranges(256L * MIB);
    for (int round = 0; round < 250; round++) {
      List<Long> held = round == 0 ? fill(ranges, () -> MIB) : fill(ranges, () -> size(random));
      for (int i = held.size() - 1; i >= 0; i -= 2) {
        ranges.free(held.remove(i));
      }
      Collections.shuffle(held, random);
      held.forEach(ranges::free);
      assertThat(ranges.freeRanges()).as("seed %d round %d", seed, round).isEqualTo(1);
      assertThat(ranges.tryAllocate(256 * MIB)).isZero();
      ranges.free(0);
    }
  }

  private static int size(Random random) {
    return 4 * KIB * (1 + random.nextInt(3 * MIB / (4 * KIB)));
  }

  private static List<Long> fill(RangeAllocator ranges, IntSupplier sizes) {
    List<Long> held = new ArrayList<>();
    long offset = ranges.tryAllocate(sizes.getAsInt());
    while (offset >= 0) {
      held.add(offset);
      offset = ranges.tryAllocate(sizes.getAsInt());
    }
    return held;
  }

  @ParameterizedTest
  @CsvSource({"1, 4096", "2, 4096", "3, 512", "4, 1", "5, 65536", "6, 4096", "7, 64"})
  void randomUse_isThatOfTheModel(long seed, int alignment) {
    new RandomUse(seed, alignment).run(20_000);
  }

  /** Random operations on an allocator and on a sorted list, which must agree after each. */
  private final class RandomUse {

    private static final int UNITS = 300;

    private final Random random;
    private final long seed;
    private final int alignment;
    private final RangeAllocator ranges;
    private final RangeModel model;
    private final List<MemorySegment> held = new ArrayList<>();
    private final List<Long> heldAt = new ArrayList<>();
    private final List<Byte> stamps = new ArrayList<>();

    RandomUse(long seed, int alignment) {
      this.seed = seed;
      this.random = new Random(seed);
      this.alignment = alignment;
      this.ranges =
          new RangeAllocator(arena((long) UNITS * alignment), alignment, 100L * alignment);
      this.model = new RangeModel(alignment, 100L * alignment);
    }

    void run(int steps) {
      for (int step = 0; step < steps; step++) {
        step();
        String at = "seed %d step %d".formatted(seed, step);
        assertThat(ranges.freeBytes()).as(at).isEqualTo(model.freeBytes());
        assertThat(ranges.largestFreeBytes()).as(at).isEqualTo(model.largestFreeBytes());
        assertThat(ranges.freeRanges()).as(at).isEqualTo(model.freeRanges());
      }
      while (!held.isEmpty()) {
        freeOne();
      }
      assertThat(ranges.freeBytes()).isEqualTo(ranges.capacityBytes());
      assertThat(ranges.freeRanges()).isEqualTo(1);
    }

    private void step() {
      int kind = random.nextInt(20);
      if (kind < 8) {
        int bytes = bytes();
        long offset = ranges.tryAllocate(bytes);
        assertThat(offset).as("seed %d", seed).isEqualTo(model.tryAllocate(bytes));
        if (offset >= 0) {
          hold(offset, bytes);
        }
      } else if (kind < 10) {
        batch(random.nextInt(8));
      } else if (kind < 19) {
        freeOne();
      } else if (random.nextInt(200) == 0) {
        long bytes = bytes();
        assertThat(ranges.grow(bytes)).isEqualTo(model.grow(bytes, (long) UNITS * alignment));
      }
    }

    private int bytes() {
      return 1 + random.nextInt(random.nextBoolean() ? 4 * alignment : 20 * alignment);
    }

    private void batch(int count) {
      int[] sizes = new int[count];
      Arrays.setAll(sizes, i -> bytes());
      long[] offsets = new long[count];
      long[] expected = model.tryAllocate(sizes);
      boolean fits = ranges.tryAllocate(sizes, offsets);
      assertThat(fits).as("seed %d", seed).isEqualTo(expected.length == count);
      if (fits) {
        assertThat(offsets).as("seed %d", seed).isEqualTo(expected);
        for (int i = 0; i < count; i++) {
          hold(offsets[i], sizes[i]);
        }
      }
    }

    private void hold(long offset, int bytes) {
      byte stamp = (byte) random.nextInt();
      held.add(ranges.segment(offset, bytes).fill(stamp));
      heldAt.add(offset);
      stamps.add(stamp);
    }

    private void freeOne() {
      if (held.isEmpty()) {
        return;
      }
      int one = random.nextInt(held.size());
      MemorySegment bytes = held.remove(one);
      byte stamp = stamps.remove(one);
      byte[] expected = new byte[(int) bytes.byteSize()];
      Arrays.fill(expected, stamp);
      assertThat(bytes.mismatch(MemorySegment.ofArray(expected)))
          .as("seed %d: no other owner wrote here", seed)
          .isEqualTo(-1);
      long offset = heldAt.remove(one);
      ranges.free(offset);
      model.free(offset);
    }
  }
}

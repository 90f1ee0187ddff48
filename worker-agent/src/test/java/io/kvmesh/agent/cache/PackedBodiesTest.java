package io.kvmesh.agent.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory of compressed bodies is given out again when neither a chunk nor a reader has it. */
class PackedBodiesTest {

  private static final int UNITS = 12;
  private static final int UNIT = RangeAllocator.DEFAULT_ALIGNMENT;
  private static final int SLOTS = 16;
  private static final int FULL = 64 * UNIT;

  private final PageArena arena = PageArena.anonymous(UNITS * UNIT);
  private final RangeAllocator ranges = new RangeAllocator(arena);
  private final PackedBodies bodies =
      new PackedBodies(PackedRoom.of(ranges, FULL, PolicyName.LRU), SLOTS);

  @AfterEach
  void unmap() {
    arena.close();
  }

  /** A chunk with a compressed body, or one whose body only its readers need. */
  private static final class Chunk {
    private final int place;
    private final int length;
    private boolean packed = true;
    private final List<PackedBody> readers = new ArrayList<>();

    private Chunk(int place, int length) {
      this.place = place;
      this.length = length;
    }
  }

  /** By slot; what holds memory. */
  private final Map<Integer, Chunk> model = new HashMap<>();

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @Test
  void memory_isNeverGivenOutWhileAChunkOrAReaderHasIt() {
    for (int step = 0; step < 50_000; step++) {
      int slot = random.nextInt(SLOTS);
      Chunk chunk = model.get(slot);
      if (chunk == null) {
        add(slot);
      } else {
        change(slot, chunk);
      }
      require(step);
    }
    Set.copyOf(model.keySet()).forEach(this::end);
    assertThat(ranges.freeBytes()).as("seed %d", seed).isEqualTo(ranges.capacityBytes());
    assertThat(bodies.chunks() + bodies.bytes() + bodies.fullBytes()).isZero();
  }

  private void add(int slot) {
    int length = 1 + random.nextInt(4 * UNIT);
    int place = bodies.tryAllocate(length);
    if (place != ChunkMemory.NO_PLACE) {
      bodies.body(place, length).fill((byte) slot);
      bodies.add(slot, length, FULL, CompressionMethod.ZSTD);
      model.put(slot, new Chunk(place, length));
    }
  }

  private void change(int slot, Chunk chunk) {
    switch (random.nextInt(4)) {
      case 0 -> drop(slot, chunk);
      case 1 -> {
        if (chunk.packed) {
          chunk.readers.add(bodies.read(slot, chunk.place));
        }
      }
      default -> done(slot, chunk);
    }
  }

  private void drop(int slot, Chunk chunk) {
    if (chunk.packed) {
      chunk.packed = false;
      bodies.drop(slot, chunk.place);
      forgetIfFree(slot, chunk);
    }
  }

  private void done(int slot, Chunk chunk) {
    if (!chunk.readers.isEmpty()) {
      chunk.readers.removeLast();
      bodies.doneReading(slot);
      forgetIfFree(slot, chunk);
    }
  }

  private void forgetIfFree(int slot, Chunk chunk) {
    if (!chunk.packed && chunk.readers.isEmpty()) {
      model.remove(slot);
    }
  }

  private void end(int slot) {
    Chunk chunk = model.get(slot);
    while (chunk != null && !chunk.readers.isEmpty()) {
      done(slot, chunk);
    }
    if (model.containsKey(slot) && chunk != null) {
      drop(slot, chunk);
    }
  }

  private void require(int step) {
    long taken = 0;
    int chunks = 0;
    Set<Integer> places = new HashSet<>();
    for (Map.Entry<Integer, Chunk> entry : model.entrySet()) {
      Chunk chunk = entry.getValue();
      taken += ranges.bytesTaken(chunk.length);
      chunks += chunk.packed ? 1 : 0;
      assertThat(places.add(chunk.place)).as("seed %d step %d", seed, step).isTrue();
      for (PackedBody reader : chunk.readers) {
        byte first = reader.bytes().get(ValueLayout.JAVA_BYTE, 0);
        assertThat(first).as("seed %d step %d", seed, step).isEqualTo(entry.getKey().byteValue());
        assertThat(reader.bytes().byteSize()).isEqualTo(chunk.length);
      }
    }
    assertThat(ranges.capacityBytes() - ranges.freeBytes())
        .as("seed %d step %d", seed, step)
        .isEqualTo(taken);
    assertThat(bodies.chunks()).as("seed %d step %d", seed, step).isEqualTo(chunks);
  }
}

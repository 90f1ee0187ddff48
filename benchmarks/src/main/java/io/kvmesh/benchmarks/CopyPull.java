package io.kvmesh.benchmarks;

import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.Demand;
import io.kvmesh.agent.memory.MemoryFeature;
import io.kvmesh.agent.memory.PageArena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The yardstick of shared memory: the same pages, copied from one file's memory to another's. */
final class CopyPull implements Contender {

  private final PageArena source;
  private final PageArena target;
  private final int chunks;
  private final int chunkBytes;

  CopyPull(int chunks, int chunkBytes, Path directory) {
    this.chunks = chunks;
    this.chunkBytes = chunkBytes;
    source = open(directory.resolve("copy-source"));
    target = open(directory.resolve("copy-target"));
    source.bytes().fill((byte) 1);
    target.bytes().fill((byte) 2);
  }

  private PageArena open(Path file) {
    return PageArena.open(
        new ArenaOptions(
            (long) chunks * chunkBytes,
            Optional.of(file),
            Map.of(MemoryFeature.HUGE_PAGES, Demand.WANTED),
            OptionalInt.empty()));
  }

  @Override
  public String name() {
    return "MemorySegment.copy";
  }

  @Override
  public void pull() {
    for (long at = 0; at < source.byteSize(); at += chunkBytes) {
      MemorySegment.copy(source.bytes(), at, target.bytes(), at, chunkBytes);
    }
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}

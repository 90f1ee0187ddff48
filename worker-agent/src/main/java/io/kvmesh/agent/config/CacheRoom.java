package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.ChunkMemory;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.cache.PackedRoom;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.agent.ops.ArenaView;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The memory that this agent's cache has.
 *
 * @param arena whose memory it is; empty where nothing is kept
 * @param memory as the cache uses it
 * @param packedArena of compressed chunks; empty where there are none
 * @param packed as the cache uses it
 */
record CacheRoom(
    Optional<ArenaView> arena,
    ChunkMemory memory,
    Optional<PageArena> packedArena,
    PackedRoom packed) {

  /**
   * Maps it.
   *
   * @throws StartException if it isn't granted
   */
  static CacheRoom open(AgentSettings settings, int chunkBytes) {
    return open(settings, chunkBytes, AvailableMemory::now);
  }

  /**
   * Maps it.
   *
   * @param available asked once what a killed agent left is away
   */
  static CacheRoom open(
      AgentSettings settings, int chunkBytes, Supplier<AvailableMemory> available) {
    CacheRole role = new CacheRole(settings);
    if (role.keeping() == Keeping.NOTHING) {
      return new CacheRoom(
          Optional.empty(), ChunkMemory.none(chunkBytes), Optional.empty(), PackedRoom.NONE);
    }
    MemoryPlan plan = new MemoryPlan(settings);
    plan.makeRoom();
    ArenaCapacity capacity = plan.capacity(available.get(), AvailableMemory.inHugetlb());
    PageArena arena = plan.open(capacity.bytes());
    Optional<PageArena> packedArena =
        Optional.of(settings.cache().compressedBytes().toBytes())
            .filter(bytes -> bytes > 0)
            .map(PageArena::anonymous);
    return new CacheRoom(
        Optional.of(new ArenaView(capacity, arena)),
        memory(settings, role, arena, chunkBytes),
        packedArena,
        packedArena.map(it -> packed(settings, it, chunkBytes)).orElse(PackedRoom.NONE));
  }

  private static PackedRoom packed(AgentSettings settings, PageArena arena, int chunkBytes) {
    return PackedRoom.of(
        new RangeAllocator(arena), chunkBytes, PolicyName.parse(settings.cache().policy()));
  }

  /** How many chunks there may be at once, compressed ones among them. */
  int slots() {
    return memory.slots() + packed.maxChunks();
  }

  /** How many there may be that aren't compressed. */
  int plainSlots() {
    return memory.slots();
  }

  private static ChunkMemory memory(
      AgentSettings settings, CacheRole role, PageArena arena, int chunkBytes) {
    long initial = role.initialBytes(arena.byteSize());
    long growth = role.growthBytes(arena.byteSize());
    return switch (settings.memory().allocator()) {
      case PAGED ->
          ChunkMemory.paged(
              new PageAllocator(arena, chunkBytes, PageAllocator.pagesIn(initial, chunkBytes)),
              PageAllocator.pagesIn(growth, chunkBytes));
      case RANGES ->
          ChunkMemory.ranges(
              new RangeAllocator(arena, settings.memory().alignment(), initial),
              chunkBytes,
              role.maxChunks(arena.byteSize(), chunkBytes),
              growth);
    };
  }

  void close() {
    arena.ifPresent(it -> it.arena().close());
    packedArena.ifPresent(PageArena::close);
  }

  /** Of memory that must stay mapped. */
  void removeFile() {
    arena.ifPresent(it -> it.arena().removeFile());
  }
}

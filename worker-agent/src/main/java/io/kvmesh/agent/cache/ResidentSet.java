package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/**
 * The chunks of a cache, by slot: map, policy, holds, memory and events, which change together. A
 * chunk that leaves while it is held is detached: no lookup finds it, and its memory is freed when
 * its last hold ends. Guarded by the cache's lock, but for {@link #lookups}.
 */
final class ResidentSet {

  private final ChunkMemory memory;
  private final long uniformFootprint;
  private final EvictionPolicy policy;
  private final PackedBodies packed;
  private final CacheEventSink sink;
  private final ChunkRecords records;
  private final ChunkTable table;
  private final KeyspaceTable keyspaces = new KeyspaceTable();
  private final Map<RemovalCause, AtomicLong> removed = new EnumMap<>(RemovalCause.class);
  private final IntPredicate mayGo = this::mayGo;

  private int residentChunks;
  private long residentBytes;
  private int heldChunks;
  private int idlePackedChunks;
  private long evictableBytes;
  private int detachedChunks;
  private long digest;
  private long admitted;

  ResidentSet(ChunkMemory memory, PackedRoom room, EvictionPolicy policy, CacheEventSink sink) {
    this.memory = memory;
    this.uniformFootprint = memory.uniformFootprint();
    this.policy = policy;
    this.sink = sink;
    this.records = new ChunkRecords(memory.slots() + room.maxChunks());
    this.packed = new PackedBodies(room, records.slots());
    this.table = new ChunkTable(records);
  }

  ChunkRecords records() {
    return records;
  }

  /** The bodies of those that are compressed. */
  PackedBodies packed() {
    return packed;
  }

  /** The chunk's slot, or ChunkTable.NOT_FOUND. */
  int find(ChunkKey key) {
    return find(key, mix(key));
  }

  private int find(ChunkKey key, long mix) {
    int slot = findBits(key, mix);
    return slot == ChunkTable.NOT_FOUND || records.hasHash(slot, key.hash())
        ? slot
        : ChunkTable.NOT_FOUND;
  }

  /** For guesses at where so many keys are; any thread. */
  ColdLookups lookups(int keys) {
    return new ColdLookups(table, records, keys);
  }

  /**
   * Holds the longest resident prefix of the keys.
   *
   * @param guesses made for the first of them
   */
  void holdPrefix(List<ChunkKey> keys, ColdLookups guesses, ChunkLease into) {
    for (int i = 0; i < keys.size(); i++) {
      int index = i % ColdLookups.MOST;
      if (index == 0 && i > 0) {
        guesses.guess(keys, i);
      }
      int slot = find(keys.get(i), guesses.mix(index), guesses.slot(index));
      if (slot == ChunkTable.NOT_FOUND) {
        return;
      }
      hold(slot);
      into.add(slot);
    }
  }

  private int find(ChunkKey key, long mix, int guess) {
    boolean right =
        guess != ChunkTable.NOT_FOUND
            && records.isResident(guess, keyspaces.find(key.keyspace()), key.hash().bits())
            && records.hasHash(guess, key.hash());
    return right ? guess : find(key, mix);
  }

  private int findBits(ChunkKey key, long mix) {
    int keyspaceId = keyspaces.find(key.keyspace());
    return keyspaceId == KeyspaceTable.NONE
        ? ChunkTable.NOT_FOUND
        : table.find(mix, keyspaceId, key.hash().bits());
  }

  /**
   * Makes a filled chunk resident, which isn't yet; answers its slot. Events and indexes know a
   * hash by 64 bits, so of two wide ones that begin alike the older goes.
   */
  int admit(PendingChunk chunk, int place, long checksum) {
    ChunkKey key = chunk.key();
    long mix = mix(key);
    int alike = findBits(key, mix);
    if (alike != ChunkTable.NOT_FOUND) {
      remove(alike, RemovalCause.DISPLACED);
    }
    int keyspaceId = keyspaces.retain(key.keyspace());
    int slot = records.add(keyspaceId, chunk, place, checksum);
    table.add(mix, slot);
    policy.added(slot, mix);
    residentChunks++;
    residentBytes += chunk.bytes();
    evictableBytes += footprint(slot);
    digest += mix;
    admitted++;
    sink.admitted(key.keyspace(), key.hash().bits());
    return slot;
  }

  /** Keeps a filled chunk for its lease alone, and holds it once; answers its slot. */
  int stage(PendingChunk chunk, int place, long checksum) {
    int keyspaceId = keyspaces.retain(chunk.key().keyspace());
    int slot = records.add(keyspaceId, chunk, place, checksum);
    records.detach(slot);
    records.hold(slot);
    heldChunks++;
    detachedChunks++;
    return slot;
  }

  void use(int slot) {
    if (records.isResident(slot)) {
      policyOf(slot).used(slot);
    }
  }

  void hold(int slot) {
    if (records.hold(slot) == 1) {
      heldChunks++;
      evictableBytes -= footprint(slot);
      idlePackedChunks -= records.isPacked(slot) ? 1 : 0;
    }
  }

  void letGo(int slot) {
    if (records.letGo(slot) > 0) {
      return;
    }
    heldChunks--;
    if (!records.isResident(slot)) {
      detachedChunks--;
      free(slot);
      return;
    }
    evictableBytes += footprint(slot);
    idlePackedChunks += records.isPacked(slot) ? 1 : 0;
    if (records.clearSetAside(slot)) {
      policyOf(slot).restored(slot);
    }
  }

  private EvictionPolicy policyOf(int slot) {
    return records.isPacked(slot) ? packed.order() : policy;
  }

  /** The body of a chunk, held by the caller alone, lies compressed at this place from now on. */
  void pack(int slot, int place, int length, CompressionMethod method) {
    leaveOrder(slot);
    memory.free(records.place(slot));
    residentBytes -= records.bytes(slot);
    packed.add(slot, length, records.bytes(slot), method);
    records.moveTo(slot, place, true);
    enterOrder(slot);
  }

  /**
   * The body of a compressed chunk, which is held, lies at this place of the memory from now on.
   */
  void unpack(int slot, int place) {
    boolean resident = records.isResident(slot);
    if (resident) {
      leaveOrder(slot);
    }
    packed.drop(slot, records.place(slot));
    records.moveTo(slot, place, false);
    if (resident) {
      residentBytes += records.bytes(slot);
      enterOrder(slot);
    }
  }

  private void leaveOrder(int slot) {
    records.clearSetAside(slot);
    policyOf(slot).removed(slot);
  }

  private void enterOrder(int slot) {
    policyOf(slot).added(slot, mix(slot));
  }

  /**
   * Evicts the compressed chunk that goes first; answers whether there was one.
   *
   * @param lastNumber the last of those that may go
   */
  boolean evictOnePacked(long lastNumber) {
    int victim = packed.order().victim(mayGo);
    if (victim < 0 || packed.number(victim) > lastNumber) {
      return false;
    }
    remove(victim, RemovalCause.EVICTED);
    return true;
  }

  /** Evicts the chunk that the policy names; answers whether there was one. */
  boolean evictOne() {
    int victim = policy.victim(mayGo);
    if (victim < 0) {
      return false;
    }
    remove(victim, RemovalCause.EVICTED);
    return true;
  }

  /** Removes the chunk unless it is held; answers whether it did. */
  boolean removeUnlessHeld(int slot, RemovalCause cause) {
    if (records.isHeld(slot)) {
      return false;
    }
    remove(slot, cause);
    return true;
  }

  /** Removes all chunks that aren't held. */
  Cleared clear() {
    int chunks = 0;
    long tokens = 0;
    for (int slot = 0; slot < records.slots(); slot++) {
      int tokensOfSlot = records.tokens(slot);
      if (records.isResident(slot) && removeUnlessHeld(slot, RemovalCause.CLEARED)) {
        chunks++;
        tokens += tokensOfSlot;
      }
    }
    return new Cleared(chunks, tokens, sink.sequence());
  }

  /** Removes all chunks; held ones are detached. */
  void removeAll(RemovalCause cause) {
    for (int slot = 0; slot < records.slots(); slot++) {
      if (records.isResident(slot)) {
        remove(slot, cause);
      }
    }
  }

  /** The only way out. Who holds the chunk keeps its body. */
  void remove(int slot, RemovalCause cause) {
    Keyspace keyspace = keyspace(slot);
    long mix = mix(slot);
    boolean isPacked = records.isPacked(slot);
    table.remove(mix, slot);
    policyOf(slot).removed(slot);
    residentChunks--;
    residentBytes -= isPacked ? 0 : records.bytes(slot);
    digest -= mix;
    removed(cause).incrementAndGet();
    sink.evicted(keyspace, records.hashBits(slot), cause);
    records.detach(slot);
    if (records.isHeld(slot)) {
      detachedChunks++;
    } else {
      evictableBytes -= footprint(slot);
      idlePackedChunks -= isPacked ? 1 : 0;
      free(slot);
    }
  }

  private void free(int slot) {
    if (records.isPacked(slot)) {
      packed.drop(slot, records.place(slot));
    } else {
      memory.free(records.place(slot));
    }
    keyspaces.release(records.keyspaceId(slot));
    records.drop(slot);
  }

  private boolean mayGo(int slot) {
    if (records.isHeld(slot)) {
      records.setAside(slot);
      return false;
    }
    return true;
  }

  /** Walks over all of them. */
  SlotWalk walk() {
    return new SlotWalk(this, policy);
  }

  Keyspace keyspace(int slot) {
    return keyspaces.keyspace(records.keyspaceId(slot));
  }

  LogPosition position() {
    return new LogPosition(sink.sequence(), residentChunks, digest);
  }

  int residentChunks() {
    return residentChunks;
  }

  /** What the resident bodies take of their pages. */
  long residentBytes() {
    return residentBytes;
  }

  /** What would be free if all resident chunks went that may go. */
  long evictableBytes() {
    return evictableBytes;
  }

  /** What it takes of the memory, which nothing compressed does. */
  private long footprint(int slot) {
    if (records.isPacked(slot)) {
      return 0;
    }
    return uniformFootprint == ChunkMemory.NOT_UNIFORM
        ? memory.footprint(records.bytes(slot))
        : uniformFootprint;
  }

  /** What the chunks of a lease take, in bytes. */
  long footprint(ChunkLease lease) {
    long bytes = 0;
    for (int i = 0; i < lease.size(); i++) {
      bytes += footprint(lease.slotAt(i));
    }
    return bytes;
  }

  /** How many resident chunks may go for others, which compressed ones don't. */
  int evictableChunks() {
    return residentChunks - (heldChunks - detachedChunks) - idlePackedChunks;
  }

  boolean isHeld(int slot) {
    return records.isHeld(slot);
  }

  int heldChunks() {
    return heldChunks;
  }

  int detachedChunks() {
    return detachedChunks;
  }

  /** How many chunks became resident since the start. */
  long admitted() {
    return admitted;
  }

  /** How many chunks left since the start, by cause. */
  Map<RemovalCause, Long> removedByCause() {
    Map<RemovalCause, Long> copy = new EnumMap<>(RemovalCause.class);
    for (RemovalCause cause : RemovalCause.values()) {
      copy.put(cause, removed(cause).get());
    }
    return copy;
  }

  private AtomicLong removed(RemovalCause cause) {
    return removed.computeIfAbsent(cause, unseen -> new AtomicLong());
  }

  private long mix(int slot) {
    return PlacementDigest.mix(keyspace(slot).digest(), records.hashBits(slot));
  }

  private static long mix(ChunkKey key) {
    return PlacementDigest.mix(key.keyspace().digest(), key.hash().bits());
  }
}

package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Who pinned which chunks, and until when. A pin is a hold of the chunk. Guarded by the cache's
 * lock.
 */
final class PinBook {

  private final ResidentSet resident;
  private final long lifetimeNanos;
  private final int mostPins;

  /** By owner: slot to deadline, the next to pass first. */
  private final Map<PinOwner, SequencedMap<Integer, Long>> byOwner = new HashMap<>();

  private int pins;
  private long forced;
  private long refused;

  PinBook(ResidentSet resident, PinLimits limits) {
    this.resident = resident;
    this.lifetimeNanos = limits.lifetime().toNanos();
    this.mostPins = (int) ((long) resident.records().slots() * limits.mostPercent() / 100);
  }

  /** Pins the longest resident prefix; what the owner has pinned already is pinned for longer. */
  Pinned pin(PinOwner owner, List<ChunkKey> keys, long nowNanos) {
    SequencedMap<Integer, Long> held = byOwner.computeIfAbsent(owner, o -> new LinkedHashMap<>());
    int chunks = 0;
    long tokens = 0;
    int tooMany = 0;
    for (ChunkKey key : keys) {
      int slot = resident.find(key);
      if (slot == ChunkTable.NOT_FOUND) {
        break;
      }
      if (tooMany == 0 && pin(held, slot, nowNanos + lifetimeNanos)) {
        chunks++;
        tokens += resident.records().tokens(slot);
      } else {
        tooMany++;
      }
    }
    if (held.isEmpty()) {
      byOwner.remove(owner);
    }
    refused += tooMany;
    return new Pinned(chunks, tokens, tooMany);
  }

  private boolean pin(SequencedMap<Integer, Long> held, int slot, long deadline) {
    boolean had = held.remove(slot) != null;
    if (!had && pins >= mostPins) {
      return false;
    }
    held.put(slot, deadline);
    if (!had) {
      resident.hold(slot);
      pins++;
    }
    return true;
  }

  /** Takes off all pins of an owner; answers how many there were. */
  int unpin(PinOwner owner) {
    return letGo(byOwner.remove(owner));
  }

  /** Takes off the owner's pins of these chunks. */
  int unpin(PinOwner owner, List<ChunkKey> keys) {
    SequencedMap<Integer, Long> held = byOwner.get(owner);
    if (held == null) {
      return 0;
    }
    int before = pins;
    for (ChunkKey key : keys) {
      int slot = resident.find(key);
      if (slot != ChunkTable.NOT_FOUND && held.remove(slot) != null) {
        letGo(slot);
      }
    }
    if (held.isEmpty()) {
      byOwner.remove(owner);
    }
    return before - pins;
  }

  /** Takes off all pins of a group. */
  int unpinGroup(String group) {
    int before = pins;
    for (PinOwner owner : List.copyOf(byOwner.keySet())) {
      if (owner.group().equals(group)) {
        unpin(owner);
      }
    }
    return before - pins;
  }

  /** Takes off all pins. */
  void unpinAll() {
    List.copyOf(byOwner.keySet()).forEach(this::unpin);
  }

  /** Takes off the pins whose deadline has passed; answers how many there were. */
  int expire(long nowNanos) {
    int before = pins;
    Iterator<SequencedMap<Integer, Long>> owners = byOwner.values().iterator();
    while (owners.hasNext()) {
      SequencedMap<Integer, Long> held = owners.next();
      expire(held, nowNanos);
      if (held.isEmpty()) {
        owners.remove();
      }
    }
    forced += before - pins;
    return before - pins;
  }

  private void expire(SequencedMap<Integer, Long> held, long nowNanos) {
    Iterator<Map.Entry<Integer, Long>> oldestFirst = held.entrySet().iterator();
    while (oldestFirst.hasNext()) {
      Map.Entry<Integer, Long> pin = oldestFirst.next();
      if (pin.getValue() - nowNanos > 0) {
        return;
      }
      oldestFirst.remove();
      letGo(pin.getKey());
    }
  }

  private int letGo(@Nullable SequencedMap<Integer, Long> held) {
    if (held == null) {
      return 0;
    }
    List<Integer> slots = new ArrayList<>(held.keySet());
    slots.forEach(this::letGo);
    return slots.size();
  }

  private void letGo(int slot) {
    resident.letGo(slot);
    pins--;
  }

  CacheStats.Pins stats() {
    return new CacheStats.Pins(pins, byOwner.size(), forced, refused);
  }
}

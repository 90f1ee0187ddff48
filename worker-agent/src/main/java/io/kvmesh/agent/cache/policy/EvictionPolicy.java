package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * Orders the entries of a cache by which of them should go first. An entry is a slot, a number from
 * 0 to below the cache's number of slots; a slot is used again after its entry was removed.
 *
 * <p>Called under the cache's lock. Every call costs O(1) amortised. Entries that may not go now
 * are set aside when {@link #victim} meets them and aren't looked at again before they are {@link
 * #restored}; those that then wait for their turn cost O(log k), k being their number.
 */
public interface EvictionPolicy {

  /**
   * An entry was put into the cache.
   *
   * @param keyHash a well-mixed hash of its key, the same each time the key comes
   */
  void added(int slot, long keyHash);

  /** An entry was used. */
  void used(int slot);

  /** An entry has left the cache. */
  void removed(int slot);

  /**
   * The entry that should go next, or −1 if none may. It stays until it is {@link #removed}.
   *
   * @param mayGo asked once for each entry that is met; one that it refuses is set aside
   */
  int victim(IntPredicate mayGo);

  /** An entry that {@link #victim} set aside may go again; it has lost nothing of its place. */
  void restored(int slot);

  /**
   * The tier of an entry: those of a lower tier go first. Together with {@link #position} it tells
   * the order without sorting: both are copied under the cache's lock, and sorted outside. Where an
   * order depends on what is yet to come (s3fifo, adaptive), it is the order of each queue, the
   * queue of newcomers first.
   */
  int tier(int slot);

  /** The position of an entry: of one tier the lower goes first. No two entries have the same. */
  long position(int slot);
}

package io.kvmesh.quickstart.simulate;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * How often a cache would hit that knew the future: it keeps the chunks whose next use comes first,
 * and doesn't even take one in whose next use comes later than those of all others. Since whoever
 * asks for a chunk asks for all before it, the chunks that it keeps are prefixes.
 *
 * <p>After Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
 */
final class Optimum {

  private static final int NEVER = Integer.MAX_VALUE;

  private final NumberedBlocks blocks;
  private final int chunks;

  /** For each chunk of all requests: where the same block comes next. */
  private final int[] next;

  /** By block: its next use, if it is resident, or −1. */
  private final int[] residentUntil;

  /** Resident blocks, that with the latest next use last: the upper half of each is that use. */
  private final TreeSet<Long> byNextUse = new TreeSet<>();

  Optimum(NumberedBlocks blocks, int chunks) {
    this.blocks = blocks;
    this.chunks = chunks;
    this.next = nextUses(blocks);
    this.residentUntil = new int[blocks.distinct()];
    Arrays.fill(residentUntil, -1);
  }

  private static int[] nextUses(NumberedBlocks blocks) {
    int position = 0;
    for (int i = 0; i < blocks.requests(); i++) {
      position += blocks.request(i).length;
    }
    int[] next = new int[position];
    int[] seen = new int[blocks.distinct()];
    Arrays.fill(seen, NEVER);
    for (int i = blocks.requests() - 1; i >= 0; i--) {
      int[] prompt = blocks.request(i);
      for (int j = prompt.length - 1; j >= 0; j--) {
        next[--position] = seen[prompt[j]];
        seen[prompt[j]] = position;
      }
    }
    return next;
  }

  /** Replays all requests; for one call. */
  long hits() {
    long hits = 0;
    int position = 0;
    for (int i = 0; i < blocks.requests(); i++) {
      int[] prompt = blocks.request(i);
      int prefix = 0;
      while (prefix < prompt.length && residentUntil[prompt[prefix]] >= 0) {
        prefix++;
      }
      hits += prefix;
      for (int block : prompt) {
        refer(block, next[position++]);
      }
    }
    return hits;
  }

  private void refer(int block, int nextUse) {
    if (residentUntil[block] >= 0) {
      byNextUse.remove(entry(block));
      residentUntil[block] = -1;
    }
    if (nextUse != NEVER && (byNextUse.size() < chunks || makeRoom(nextUse))) {
      residentUntil[block] = nextUse;
      byNextUse.add(entry(block));
    }
  }

  /** Drops the block whose next use is the latest, if that is later than this one. */
  private boolean makeRoom(int nextUse) {
    long latest = byNextUse.last();
    if (latest >>> Integer.SIZE <= nextUse) {
      return false;
    }
    byNextUse.remove(latest);
    residentUntil[(int) latest] = -1;
    return true;
  }

  private long entry(int block) {
    return (long) residentUntil[block] << Integer.SIZE | block;
  }
}

package io.kvmesh.agent.memory;

import java.util.Arrays;

/**
 * The free ranges in address order, no two of which touch: a treap whose nodes know the longest
 * range below them, so that the first that fits is found on one way down. Nodes are numbers, their
 * fields are arrays; 0 is no node. One thread at a time.
 *
 * <p>Seidel and Aragon, Randomized Search Trees, 1996.
 */
final class FreeRanges {

  private static final int NONE = 0;
  private static final int FIRST_NODES = 64;

  private long[] offset = new long[FIRST_NODES];
  private long[] bytes = new long[FIRST_NODES];

  /** Longest range of a node and of all below it. */
  private long[] longest = new long[FIRST_NODES];

  private int[] left = new int[FIRST_NODES];

  /** Also links the nodes that are not in use. */
  private int[] right = new int[FIRST_NODES];

  private int[] priority = new int[FIRST_NODES];

  private int root = NONE;
  private int unused = NONE;
  private int nodes = 1;
  private int count;
  private int randomState = 0x2545F491;

  /** What {@link #take} and {@link #split} answer beside the new root. */
  private long taken;

  private int splitRight;

  int count() {
    return count;
  }

  long largestBytes() {
    return longest[root];
  }

  /** Cuts the bytes off the front of the first range that has as many; −1 if none has. */
  long takeFirst(long wanted) {
    if (longest[root] < wanted) {
      return -1;
    }
    root = take(root, wanted);
    return taken;
  }

  /** Adds a range that overlaps no other, and joins it to those that it touches. */
  void add(long start, long length) {
    int before = lastBefore(start);
    int after = firstFrom(start);
    boolean joinsBefore = before != NONE && offset[before] + bytes[before] == start;
    boolean joinsAfter = after != NONE && start + length == offset[after];
    if (joinsBefore && joinsAfter) {
      long more = length + bytes[after];
      root = remove(root, offset[after]);
      lengthen(before, offset[before], more);
    } else if (joinsBefore) {
      lengthen(before, offset[before], length);
    } else if (joinsAfter) {
      lengthen(after, start, length);
    } else {
      root = insert(root, newNode(start, length));
    }
  }

  private int take(int node, long wanted) {
    if (longest[left[node]] >= wanted) {
      left[node] = take(left[node], wanted);
    } else if (bytes[node] < wanted) {
      right[node] = take(right[node], wanted);
    } else {
      taken = offset[node];
      if (bytes[node] == wanted) {
        return without(node);
      }
      offset[node] += wanted;
      bytes[node] -= wanted;
    }
    update(node);
    return node;
  }

  private int lastBefore(long start) {
    int found = NONE;
    int node = root;
    while (node != NONE) {
      if (offset[node] < start) {
        found = node;
        node = right[node];
      } else {
        node = left[node];
      }
    }
    return found;
  }

  private int firstFrom(long start) {
    int found = NONE;
    int node = root;
    while (node != NONE) {
      if (offset[node] >= start) {
        found = node;
        node = left[node];
      } else {
        node = right[node];
      }
    }
    return found;
  }

  /** Its place in the order stays: there is no range between its old and its new start. */
  private void lengthen(int lengthened, long start, long more) {
    long length = bytes[lengthened] + more;
    int node = root;
    while (node != lengthened) {
      longest[node] = Math.max(longest[node], length);
      node = offset[lengthened] < offset[node] ? left[node] : right[node];
    }
    offset[node] = start;
    bytes[node] = length;
    longest[node] = Math.max(longest[node], length);
  }

  private int insert(int node, int added) {
    if (node == NONE) {
      return added;
    }
    if (priority[added] > priority[node]) {
      left[added] = split(node, offset[added]);
      right[added] = splitRight;
      update(added);
      return added;
    }
    if (offset[added] < offset[node]) {
      left[node] = insert(left[node], added);
    } else {
      right[node] = insert(right[node], added);
    }
    update(node);
    return node;
  }

  /** Root of what lies before {@code start}; {@link #splitRight} is that of the rest. */
  private int split(int node, long start) {
    if (node == NONE) {
      splitRight = NONE;
      return NONE;
    }
    if (offset[node] < start) {
      right[node] = split(right[node], start);
      update(node);
      return node;
    }
    int before = split(left[node], start);
    left[node] = splitRight;
    update(node);
    splitRight = node;
    return before;
  }

  private int remove(int node, long start) {
    if (offset[node] == start) {
      return without(node);
    }
    if (start < offset[node]) {
      left[node] = remove(left[node], start);
    } else {
      right[node] = remove(right[node], start);
    }
    update(node);
    return node;
  }

  /** The two trees below a node as one; the node is given back. */
  private int without(int node) {
    int merged = merge(left[node], right[node]);
    right[node] = unused;
    unused = node;
    count--;
    return merged;
  }

  private int merge(int before, int after) {
    if (before == NONE) {
      return after;
    }
    if (after == NONE) {
      return before;
    }
    if (priority[before] > priority[after]) {
      right[before] = merge(right[before], after);
      update(before);
      return before;
    }
    left[after] = merge(before, left[after]);
    update(after);
    return after;
  }

  private void update(int node) {
    longest[node] = Math.max(bytes[node], Math.max(longest[left[node]], longest[right[node]]));
  }

  private int newNode(long start, long length) {
    int node = unused;
    if (node == NONE) {
      if (nodes == offset.length) {
        enlarge();
      }
      node = nodes++;
    } else {
      unused = right[node];
    }
    offset[node] = start;
    bytes[node] = length;
    longest[node] = length;
    left[node] = NONE;
    right[node] = NONE;
    priority[node] = nextRandom();
    count++;
    return node;
  }

  private void enlarge() {
    int larger = Math.multiplyExact(2, nodes);
    offset = Arrays.copyOf(offset, larger);
    bytes = Arrays.copyOf(bytes, larger);
    longest = Arrays.copyOf(longest, larger);
    left = Arrays.copyOf(left, larger);
    right = Arrays.copyOf(right, larger);
    priority = Arrays.copyOf(priority, larger);
  }

  /** Xorshift: what matters is that it has nothing to do with the offsets. */
  private int nextRandom() {
    randomState ^= randomState << 13;
    randomState ^= randomState >>> 17;
    randomState ^= randomState << 5;
    return randomState;
  }
}

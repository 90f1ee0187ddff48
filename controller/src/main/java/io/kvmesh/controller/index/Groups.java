package io.kvmesh.controller.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The slots of chunks with several holders. A group's number is negative, so that one int is either
 * a slot or a group. Arrays are replaced, never changed. {@link #ids} may be called while a writer
 * is at work; its answer is then worth nothing.
 */
final class Groups {

  private static final int[] NONE = {};

  private int[] @Nullable [] groups = {};
  private final IntArrayList free = new IntArrayList();
  private int used;

  /** The slots of the group. */
  int[] ids(int number) {
    int[] @Nullable [] all = groups;
    int index = -number - 1;
    int[] ids = index < all.length ? all[index] : null;
    return ids == null ? NONE : ids;
  }

  /** A new group's number. */
  int create(int... ids) {
    int index = free.isEmpty() ? used++ : free.popInt();
    if (index == groups.length) {
      groups = Arrays.copyOf(groups, Math.max(8, index + (index >> 1)));
    }
    groups[index] = ids;
    return -index - 1;
  }

  void replace(int number, int[] ids) {
    groups[-number - 1] = ids;
  }

  void remove(int number) {
    groups[-number - 1] = null;
    free.add(-number - 1);
  }
}

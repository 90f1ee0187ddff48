package io.kvmesh.agent.cache;

import java.util.List;

/**
 * How the values lie in a body, as whoever stored it told, in LMCache's numbers. The cache keeps it
 * beside the body and makes nothing of it.
 *
 * @param format see MemoryFormat
 * @param location where its writer had it
 * @param groups that lie one behind the other, at least one
 */
public record BodyForm(int format, int location, List<Group> groups) {

  /** Copies the list. */
  public BodyForm {
    groups = List.copyOf(groups);
  }

  /**
   * Values of one type.
   *
   * @param dtype number of the type
   * @param shape lengths of the four dimensions, outermost first; 0 = there is none
   */
  public record Group(int dtype, List<Integer> shape) {

    /** Copies the list. */
    public Group {
      shape = List.copyOf(shape);
    }
  }
}

package io.kvmesh.agent.directory;

import java.util.List;

/** What came of asking who could take this agent's chunks. */
public sealed interface DrainAdvice {

  /**
   * A controller said so.
   *
   * @param targets addresses of the init ports of those that could, the best first
   * @param elsewhere indexes of the chunks that another worker has
   */
  record Told(List<String> targets, List<Integer> elsewhere) implements DrainAdvice {

    /** Copies the collections. */
    public Told {
      targets = List.copyOf(targets);
      elsewhere = List.copyOf(elsewhere);
    }
  }

  /** No controller said anything. */
  record None(String reason) implements DrainAdvice {}
}

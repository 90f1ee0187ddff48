package io.kvmesh.quickstart.workload;

import java.util.List;

/**
 * Requests in the order in which they are replayed.
 *
 * @param name for the result: a file name or what was generated
 */
public record Workload(String name, List<Prompt> prompts) {

  public Workload {
    prompts = List.copyOf(prompts);
  }

  /** All blocks of all requests. */
  public long chunks() {
    return prompts.stream().mapToLong(Prompt::size).sum();
  }
}

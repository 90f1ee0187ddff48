package io.kvmesh.agent.cache;

import java.time.Duration;

/** How a claim comes by room. */
public sealed interface Reserving {

  /** Answers at once; evicts where nothing is free. */
  record Now() implements Reserving {}

  /** Answers at once; evicts nothing. */
  record OnlyFree() implements Reserving {}

  /**
   * Evicts where nothing is free, and waits for a release until there is room for the whole batch.
   * Those who wait hold nothing of what they wait for and are served in the order in which they
   * came; a claim that doesn't wait may overtake them.
   *
   * @param atMost after which the batch gets what there is
   */
  record Waiting(Duration atMost) implements Reserving {}
}

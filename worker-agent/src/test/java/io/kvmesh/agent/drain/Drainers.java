package io.kvmesh.agent.drain;

import io.kvmesh.agent.directory.DrainAdvice;
import io.kvmesh.agent.directory.DrainAdvisor;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import java.io.IOException;
import java.util.List;

/** Drainers of agents in tests. */
public final class Drainers {

  /** No controller answers. */
  public static final DrainAdvisor NOBODY =
      (keyspace, hashes, atMost) -> new DrainAdvice.None("silent");

  /** Bytes of a batch of two chunks. */
  static final int SMALL_BATCH = 2 * 4096;

  private Drainers() {}

  /** One whose chunks come and go in small batches. */
  static TestAgent agent(String name, int pages) throws IOException {
    return TestAgent.named(name).pages(pages, 4096).getBytes(SMALL_BATCH).start();
  }

  /** Of this agent. */
  public static Drainer of(TestAgent agent, DrainAdvisor advisor) {
    return of(agent, advisor, new Counters<>(MoveCount.class));
  }

  static Drainer of(TestAgent agent, DrainAdvisor advisor, Counters<MoveCount> counters) {
    return new Drainer(agent.cache, agent.mover, advisor, agent.server, counters, System::nanoTime);
  }

  /** Says these targets, and that nobody else has anything. */
  public static DrainAdvisor to(String... targets) {
    return (keyspace, hashes, atMost) -> new DrainAdvice.Told(List.of(targets), List.of());
  }
}

package io.kvmesh.quickstart.fleet;

import java.util.List;
import java.util.function.ToLongFunction;
import tools.jackson.databind.JsonNode;

/**
 * What an agent says about its cache.
 *
 * @param resident chunks
 * @param evictions since it started
 * @param freePages of its memory
 * @param pending pages that are being filled
 * @param loans of pages that peers have not yet done with
 */
public record AgentState(long resident, long evictions, long freePages, long pending, long loans) {

  private static final String PATH = "/actuator/agent";

  /** Asks one agent. */
  public static AgentState of(Member agent, Http http) throws ChildFailure, InterruptedException {
    String address = agent.address(Fleet.MANAGEMENT);
    return http.get(address, PATH)
        .map(AgentState::read)
        .orElseThrow(() -> agent.failure("doesn't answer at " + address + PATH));
  }

  /** One figure over several agents. */
  public static long sum(List<Member> agents, Http http, ToLongFunction<AgentState> figure)
      throws ChildFailure, InterruptedException {
    long sum = 0;
    for (Member agent : agents) {
      sum += figure.applyAsLong(of(agent, http));
    }
    return sum;
  }

  private static AgentState read(JsonNode state) {
    JsonNode cache = state.path("cache");
    return new AgentState(
        cache.path("residentChunks").asLong(),
        cache.path("evictions").asLong(),
        cache.path("freePages").asLong(),
        cache.path("pendingChunks").asLong(),
        state.path("loans").asLong());
  }
}

package io.kvmesh.common.client;

/**
 * How long a prefix is.
 *
 * @param local chunks that the agent has
 * @param fleet chunks that one other agent has behind them
 * @param lease holds the local ones, if that was asked for
 */
public record LookedUp(int local, int fleet, EngineLease lease) implements AutoCloseable {

  @Override
  public void close() {
    lease.close();
  }
}

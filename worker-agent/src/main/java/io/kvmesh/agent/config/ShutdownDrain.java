package io.kvmesh.agent.config;

import org.springframework.context.SmartLifecycle;

/**
 * Drains the agent at a graceful shutdown. It is stopped before all else, so that HTTP still shows
 * how far it is, and the doors are closed afterwards.
 */
final class ShutdownDrain implements SmartLifecycle {

  private final Agent agent;
  private volatile boolean running;

  ShutdownDrain(Agent agent) {
    this.agent = agent;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    agent.drain();
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}

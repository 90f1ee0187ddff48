package io.kvmesh.agent.memory;

/**
 * Whether an arena got what was asked for it.
 *
 * @param had always false where it wasn't asked for
 * @param reason why it was not had, with the system's errno where there is one; else empty
 */
public record FeatureOutcome(MemoryFeature feature, Demand demand, boolean had, String reason) {

  /** Whether it was asked for. */
  public boolean asked() {
    return demand != Demand.OFF;
  }

  /** Whether it was asked for and not had. */
  public boolean missing() {
    return asked() && !had;
  }
}

package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.options.Ports;

/**
 * What is started.
 *
 * @param agents number of them
 * @param chunks room of each
 * @param pageBytes size of a chunk
 */
public record FleetSettings(int agents, int chunks, int pageBytes, Policy policy, Ports ports) {

  public static final String MODEL = "quickstart";
  public static final String DTYPE = "bfloat16";
  public static final int CHUNK_TOKENS = 512;

  public static FleetSettings of(Options options) {
    return new FleetSettings(
        options.workers(),
        options.chunks(),
        options.pageBytes(),
        options.policy(),
        options.ports());
  }
}

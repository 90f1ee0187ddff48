package io.kvmesh.quickstart.options;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked for, checked.
 *
 * @param trace the Mooncake trace to replay; null = the built-in workload
 * @param controllers number of controllers
 * @param workers number of agents
 * @param chunks room of each agent's cache, in chunks
 * @param requests replay only that many; null = all of the trace, or the built-in default
 * @param pageBytes size of a chunk's body and of a cache page, in bytes
 * @param json where the outcome is written; null = nowhere
 * @param workDirectory where logs and Kafka's data go; null = a folder of the build's output
 * @param keyFile the fleet's key; null = no authentication and no encryption
 * @param stay keep the system up after the replay until it is interrupted
 * @param keep keep the work folder
 * @param simulatedSizes start nothing and simulate caches of these sizes, in chunks; empty = replay
 */
public record Options(
    @Nullable Path trace,
    int controllers,
    int workers,
    int chunks,
    Policy policy,
    @Nullable Integer requests,
    int pageBytes,
    @Nullable Path json,
    @Nullable Path workDirectory,
    @Nullable Path keyFile,
    Ports ports,
    boolean stay,
    boolean keep,
    List<Integer> simulatedSizes) {

  public Options {
    simulatedSizes = List.copyOf(simulatedSizes);
  }

  /** What a run without any option does. */
  public static Options defaults() {
    return new Options(
        null,
        1,
        4,
        1_000,
        Policy.LRU,
        null,
        64 * 1024,
        null,
        null,
        null,
        Ports.ANY,
        false,
        false,
        List.of());
  }
}

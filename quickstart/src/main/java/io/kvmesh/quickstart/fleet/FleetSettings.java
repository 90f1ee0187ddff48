package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.options.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What is started.
 *
 * @param controllers number of controllers, which are equal; the chosen ports are the first one's
 * @param pageBytes size of a chunk
 * @param keyFile the fleet's key; empty = no authentication and no encryption
 * @param drain for so long agents that are told to end hand their chunks over to others
 * @param further settings of controllers and agents, --name=value; they override those of the fleet
 */
public record FleetSettings(
    int controllers,
    List<AgentSpec> agents,
    int pageBytes,
    Ports ports,
    Optional<Path> keyFile,
    Duration drain,
    List<String> further) {

  public static final String MODEL = "quickstart";
  public static final String DTYPE = "bfloat16";
  public static final int CHUNK_TOKENS = 512;

  public FleetSettings {
    agents = List.copyOf(agents);
    further = List.copyOf(further);
    keyFile = keyFile.map(Path::toAbsolutePath);
  }

  /** A fleet without a key and with any free ports. */
  public FleetSettings(int controllers, List<AgentSpec> agents, int pageBytes) {
    this(controllers, agents, pageBytes, Ports.ANY, Optional.empty(), Duration.ZERO, List.of());
  }

  /** The same fleet, whose agents hand over what they have before they go. */
  public FleetSettings withDrain(Duration atMost) {
    return new FleetSettings(controllers, agents, pageBytes, ports, keyFile, atMost, further);
  }

  /** The same fleet, whose controllers and agents are told this, too: --name=value. */
  public FleetSettings with(String... settings) {
    return new FleetSettings(
        controllers, agents, pageBytes, ports, keyFile, drain, List.of(settings));
  }

  /** As many equal agents as were asked for. */
  public static FleetSettings of(Options options) {
    List<AgentSpec> agents =
        IntStream.range(0, options.workers())
            .mapToObj(i -> new AgentSpec("agent-" + i, MODEL, options.policy(), options.chunks()))
            .toList();
    return new FleetSettings(
        options.controllers(),
        agents,
        options.pageBytes(),
        options.ports(),
        Optional.ofNullable(options.keyFile()),
        Duration.ZERO,
        List.of());
  }
}

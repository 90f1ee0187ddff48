package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.options.Ports;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What is started.
 *
 * @param controllers number of controllers, which are equal; the chosen ports are the first one's
 * @param pageBytes size of a chunk
 * @param keyFile the fleet's key; empty = no authentication and no encryption
 * @param further settings of controllers and agents, --name=value; they override those of the fleet
 * @param furtherOfAgents settings of agents alone
 */
public record FleetSettings(
    int controllers,
    List<AgentSpec> agents,
    int pageBytes,
    Ports ports,
    Optional<Path> keyFile,
    List<String> further,
    List<String> furtherOfAgents) {

  public static final String MODEL = "quickstart";
  public static final String DTYPE = "bfloat16";
  public static final int CHUNK_TOKENS = 512;

  public FleetSettings {
    agents = List.copyOf(agents);
    further = List.copyOf(further);
    furtherOfAgents = List.copyOf(furtherOfAgents);
    keyFile = keyFile.map(Path::toAbsolutePath);
  }

  /** A fleet without a key and with any free ports. */
  public FleetSettings(int controllers, List<AgentSpec> agents, int pageBytes) {
    this(controllers, agents, pageBytes, Ports.ANY, Optional.empty(), List.of(), List.of());
  }

  /** The same fleet, whose controllers and agents are told this, too: --name=value. */
  public FleetSettings with(String... settings) {
    return new FleetSettings(
        controllers, agents, pageBytes, ports, keyFile, List.of(settings), furtherOfAgents);
  }

  /** The same fleet, whose agents are told this, too: --name=value. */
  public FleetSettings withAgents(String... settings) {
    return new FleetSettings(
        controllers, agents, pageBytes, ports, keyFile, further, List.of(settings));
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
        List.of(),
        List.of());
  }
}

package io.kvmesh.quickstart.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A worker agent. Its doors take any free port, which its management door tells. */
final class AgentProgram implements Program {

  static final String MANAGEMENT = "management";
  static final String ENGINE = "engine";
  static final String CONTROL = "control";
  static final String PEER_INIT = "peer_init";
  static final String PEER_LOOKUP = "peer_lookup";

  /** Memory for compressed chunks is this part of that for the others. */
  private static final int COMPRESSED_PART = 8;

  private static final int HEAP_MEGABYTES = 512;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private final FleetSettings settings;
  private final AgentSpec agent;
  private final StartCache starts;
  private final String management;
  private final String kafka;
  private final String controller;
  private final Http http;

  AgentProgram(
      FleetSettings settings,
      AgentSpec agent,
      StartCache starts,
      String management,
      String kafka,
      String controller,
      Http http) {
    this.settings = settings;
    this.agent = agent;
    this.starts = starts;
    this.management = management;
    this.kafka = kafka;
    this.controller = controller;
    this.http = http;
  }

  @Override
  public String name() {
    return agent.name();
  }

  @Override
  public List<String> command(Map<String, String> former) {
    long capacity = (long) agent.chunks() * settings.pageBytes();
    return new JavaCommand(starts.classes(), "io.kvmesh.agent.AgentApplication", HEAP_MEGABYTES)
        .setting("kvmesh.parent-pid", ProcessHandle.current().pid())
        .setting("kvmesh.instance-id", agent.name())
        .setting("kvmesh.rank", 0)
        .setting("kvmesh.advertise-loopback", true)
        .setting("kvmesh.model.name", agent.model())
        .setting("kvmesh.model.dtype", FleetSettings.DTYPE)
        .setting("kvmesh.model.chunk-tokens", FleetSettings.CHUNK_TOKENS)
        .setting("kvmesh.model.world-size", 1)
        .setting("kvmesh.model.page-bytes", settings.pageBytes() + "B")
        .setting("kvmesh.cache.capacity-bytes", capacity + "B")
        .setting("kvmesh.cache.compressed-bytes", capacity / COMPRESSED_PART + "B")
        .setting("kvmesh.cache.policy", agent.policy().settingName())
        .setting("kvmesh.kafka.bootstrap-servers", kafka)
        // Small caches: their snapshots cost nothing, and who stops Kafka sees it heal.
        .setting("kvmesh.kafka.snapshot-interval", "10s")
        .setting("kvmesh.controllers", controller)
        .setting("kvmesh.peer.init-bind", bind(former, PEER_INIT))
        .setting("kvmesh.peer.lookup-bind", bind(former, PEER_LOOKUP))
        .setting("kvmesh.control.bind", bind(former, CONTROL))
        .setting("kvmesh.engine.bind", bind(former, ENGINE))
        // One machine does the work of many here: patience, so that load isn't taken for a fault.
        .setting("kvmesh.peer.connect-timeout", "5s")
        .setting("kvmesh.directory.attempt-timeout", "5s")
        .setting("kvmesh.engine.deadline", "10s")
        .setting("kvmesh.zmq.heartbeat-interval", "20s")
        .setting("kvmesh.zmq.heartbeat-timeout", "15s")
        .setting("kvmesh.security.key-file", settings.keyFile().map(Path::toString).orElse(""))
        .setting("server.address", Loopback.HOST)
        .setting("server.port", Loopback.port(management))
        .settings(settings.further())
        .settings(settings.furtherOfAgents())
        .words();
  }

  private static String bind(Map<String, String> former, String door) {
    return "tcp://" + former.getOrDefault(door, Loopback.HOST + ":0");
  }

  @Override
  public Map<String, String> awaitReady(ChildProcess process)
      throws ChildFailure, InterruptedException {
    return process.await(this::doors, "is not ready", START_TIMEOUT);
  }

  /** The doors as soon as the agent has its epoch, that is, as soon as it serves peers. */
  private Optional<Map<String, String>> doors() throws InterruptedException {
    return http.get(management, "/actuator/agent")
        .filter(state -> state.path("epoch").asLong(-1) >= 0)
        .map(this::addresses);
  }

  private Map<String, String> addresses(JsonNode state) {
    Map<String, String> addresses = new LinkedHashMap<>();
    state
        .path("doors")
        .properties()
        .forEach(door -> addresses.put(door.getKey(), door.getValue().asString()));
    addresses.put(MANAGEMENT, management);
    return addresses;
  }
}

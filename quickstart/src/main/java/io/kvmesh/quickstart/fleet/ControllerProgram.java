package io.kvmesh.quickstart.fleet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A controller, on ports that are chosen before it starts. */
final class ControllerProgram implements Program {

  static final String REST = "rest";
  static final String PULL = "controller_pull";
  static final String REPLY = "controller_reply";

  private static final int HEAP_MEGABYTES = 512;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private final String name;
  private final StartCache starts;
  private final ControllerAddresses addresses;
  private final String kafka;
  private final String redis;
  private final FleetSettings settings;
  private final Http http;

  ControllerProgram(
      String name,
      StartCache starts,
      ControllerAddresses addresses,
      String kafka,
      String redis,
      FleetSettings settings,
      Http http) {
    this.name = name;
    this.settings = settings;
    this.starts = starts;
    this.addresses = addresses;
    this.kafka = kafka;
    this.redis = redis;
    this.http = http;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> command(Map<String, String> former) {
    return new JavaCommand(
            starts.classes(), "io.kvmesh.controller.ControllerApplication", HEAP_MEGABYTES)
        .setting("kvmesh.parent-pid", ProcessHandle.current().pid())
        .setting("kvmesh.kafka.bootstrap-servers", kafka)
        .setting("kvmesh.redis.uri", "redis://" + redis)
        .setting("kvmesh.zmq.pull-bind", "tcp://" + addresses.pull())
        .setting("kvmesh.zmq.reply-bind", "tcp://" + addresses.reply())
        .setting("kvmesh.zmq.heartbeat-bind", "")
        .setting("kvmesh.hash.chunk-tokens", FleetSettings.CHUNK_TOKENS)
        .setting("kvmesh.security.key-file", settings.keyFile().map(Path::toString).orElse(""))
        .setting("server.address", Loopback.HOST)
        .setting("server.port", Loopback.port(addresses.rest()))
        .settings(settings.further())
        .words();
  }

  @Override
  public Map<String, String> awaitReady(ChildProcess process)
      throws ChildFailure, InterruptedException {
    process.await(this::ready, "is not ready", START_TIMEOUT);
    return Map.of(REST, addresses.rest(), PULL, addresses.pull(), REPLY, addresses.reply());
  }

  private Optional<Boolean> ready() throws InterruptedException {
    return http.get(addresses.rest(), "/actuator/health/readiness")
        .filter(health -> health.path("status").asString("").equals("UP"))
        .map(health -> true);
  }
}

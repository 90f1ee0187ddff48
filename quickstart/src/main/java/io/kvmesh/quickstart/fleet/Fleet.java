package io.kvmesh.quickstart.fleet;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.quickstart.QuickstartException;
import io.kvmesh.quickstart.options.CommandLine;
import io.kvmesh.quickstart.options.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The whole system on this machine: Kafka, Redis, the controllers and the agents, each a process of
 * its own that ends with this one. Any thread.
 */
public final class Fleet implements AutoCloseable {

  /** The one address of Kafka and of Redis. */
  public static final String CLIENT = EmbeddedProgram.ADDRESS;

  public static final String REST = ControllerProgram.REST;
  public static final String CONTROLLER_PULL = ControllerProgram.PULL;
  public static final String CONTROLLER_REPLY = ControllerProgram.REPLY;
  public static final String ENGINE = AgentProgram.ENGINE;
  public static final String MANAGEMENT = AgentProgram.MANAGEMENT;

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(8);

  /** A process that notes what it has loaded takes its time. */
  private static final Duration TRAINED_STOP_TIMEOUT = Duration.ofSeconds(60);

  private static final int KAFKA_HEAP_MEGABYTES = 384;
  private static final int REDIS_HEAP_MEGABYTES = 64;

  private final Member kafka;
  private final Member redis;
  private final List<Member> controllers;
  private final List<Member> agents;
  private final Optional<Path> keyFile;
  private final List<StartCache> starts;

  private Fleet(
      List<StartCache> starts,
      Member kafka,
      Member redis,
      List<Member> controllers,
      List<Member> agents,
      Optional<Path> keyFile) {
    this.starts = starts;
    this.keyFile = keyFile;
    this.kafka = kafka;
    this.redis = redis;
    this.controllers = List.copyOf(controllers);
    this.agents = List.copyOf(agents);
  }

  /**
   * Chooses all ports; starts nothing.
   *
   * @throws QuickstartException if a chosen port is in use or a module isn't built
   */
  public static Fleet create(FleetSettings settings, Modules modules, WorkFolder folder, Http http)
      throws QuickstartException {
    return create(settings, modules, folder, http, Optional.empty());
  }

  /**
   * As {@link #create}, but where an earlier run hasn't done it the first process of each kind
   * notes what it loads, so that {@link #closeTrained} makes all later ones start faster.
   */
  public static Fleet createInTraining(
      FleetSettings settings, Modules modules, WorkFolder folder, Http http)
      throws QuickstartException {
    return create(settings, modules, folder, http, Optional.of(folder.path()));
  }

  private static Fleet create(
      FleetSettings settings, Modules modules, WorkFolder folder, Http http, Optional<Path> notes)
      throws QuickstartException {
    String kafka = Loopback.choose(settings.ports().kafka(), CommandLine.KAFKA_PORT);
    String redis = Loopback.choose(settings.ports().redis(), CommandLine.REDIS_PORT);
    StartCache embedded = modules.startCache("embedded", notes);
    StartCache controllerStarts = modules.startCache("controller", notes);
    StartCache agentStarts = modules.startCache("worker-agent", notes);

    List<Member> controllers = new ArrayList<>();
    List<String> replies = new ArrayList<>();
    for (int i = 0; i < settings.controllers(); i++) {
      ControllerAddresses addresses = controllerAddresses(i == 0 ? settings.ports() : Ports.ANY);
      String name = settings.controllers() == 1 ? "controller" : "controller-" + i;
      ControllerProgram program =
          new ControllerProgram(name, controllerStarts, addresses, kafka, redis, settings, http);
      controllers.add(new Member(program, folder));
      replies.add(addresses.reply());
    }
    String reply = String.join(",", replies);
    List<Member> agents = new ArrayList<>();
    for (AgentSpec agent : settings.agents()) {
      String management = Loopback.choose(0, "");
      AgentProgram program =
          new AgentProgram(settings, agent, agentStarts, management, kafka, reply, http);
      agents.add(new Member(program, folder));
    }
    return new Fleet(
        List.of(embedded, controllerStarts, agentStarts),
        new Member(
            new EmbeddedProgram(
                "kafka", embedded, "io.kvmesh.embedded.KafkaMain", KAFKA_HEAP_MEGABYTES, kafka),
            folder),
        new Member(
            new EmbeddedProgram(
                "redis", embedded, "io.kvmesh.embedded.RedisMain", REDIS_HEAP_MEGABYTES, redis),
            folder),
        controllers,
        agents,
        settings.keyFile());
  }

  private static ControllerAddresses controllerAddresses(Ports ports) throws QuickstartException {
    return new ControllerAddresses(
        Loopback.choose(ports.rest(), CommandLine.REST_PORT),
        Loopback.choose(ports.controllerPull(), CommandLine.PULL_PORT),
        Loopback.choose(ports.controllerReply(), CommandLine.REPLY_PORT));
  }

  /** Starts Kafka and Redis, then the rest, and waits until all serve. */
  public void start() throws ChildFailure, InterruptedException {
    startTogether(List.of(kafka, redis));
    List<Member> programs = new ArrayList<>(controllers);
    programs.addAll(agents);
    startTogether(programs);
  }

  private static void startTogether(List<Member> members)
      throws ChildFailure, InterruptedException {
    for (Member member : members) {
      member.launch();
    }
    for (Member member : members) {
      member.awaitReady();
    }
  }

  /** The key that agents and controller have; empty if none. */
  public Optional<Path> keyFile() {
    return keyFile;
  }

  public Member kafka() {
    return kafka;
  }

  public Member redis() {
    return redis;
  }

  /** The first of them. */
  public Member controller() {
    return controllers.getFirst();
  }

  public List<Member> controllers() {
    return controllers;
  }

  public List<Member> agents() {
    return agents;
  }

  /** All, in the order in which they are started. */
  public List<Member> members() {
    return Stream.of(List.of(kafka, redis), controllers, agents).flatMap(List::stream).toList();
  }

  /** True while every program runs. */
  public boolean isComplete() {
    return members().stream().allMatch(Member::isAlive);
  }

  /** The worker that an agent is. */
  public static WorkerId worker(Member agent) {
    return new WorkerId(agent.name(), 0);
  }

  /** Ends all: those that write to Kafka first, so that they can take their leave. */
  @Override
  public void close() {
    try {
      stop(STOP_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** True if {@link #closeTrained} has something to make. */
  public boolean isTraining() {
    return starts.stream().anyMatch(StartCache::isTraining);
  }

  /** As {@link #close}; what makes later processes start faster is made, if it isn't there yet. */
  public void closeTrained() throws InterruptedException {
    stop(isTraining() ? TRAINED_STOP_TIMEOUT : STOP_TIMEOUT);
    List<Thread> makers = new ArrayList<>();
    for (StartCache cache : starts) {
      makers.add(Thread.ofPlatform().daemon().name("make-start-cache").start(cache::make));
    }
    for (Thread maker : makers) {
      maker.join();
    }
  }

  private void stop(Duration timeout) throws InterruptedException {
    stopTogether(agents, timeout);
    stopTogether(controllers, timeout);
    stopTogether(List.of(redis, kafka), timeout);
  }

  private static void stopTogether(List<Member> members, Duration timeout)
      throws InterruptedException {
    for (Member member : members) {
      if (member.isAlive()) {
        member.terminate();
      }
    }
    for (Member member : members) {
      member.stop(timeout);
    }
  }
}

package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.live;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A command service whose workers are the test. */
final class CommandFixture {

  static final Command CLEAR = new Command.Clear("A", CPU);
  static final Command.Chunks TOKENS = new Command.Chunks(List.of(1L, 2L, 3L), null);
  static final Command.Chunks KEYS = new Command.Chunks(null, List.of("m@1@0@1@half"));

  final WorkerRegistry registry = new WorkerRegistry();
  final List<Sent> sent = new CopyOnWriteArrayList<>();
  final CommandCounts counts = new CommandCounts();
  final Trail trail = new Trail(() -> Instant.ofEpochMilli(5));
  final CommandService service;
  Instant now = Instant.ofEpochMilli(1000);

  /** What a worker was asked; the test answers. */
  record Sent(ControlRequest request, CompletableFuture<CommandOutcome> outcome) {

    void reply(ControlReply reply) {
      outcome.complete(new CommandOutcome.Replied(reply));
    }
  }

  /**
   * @param moveTimeout of commands that take long
   * @param maxRunning commands under way at a time
   */
  CommandFixture(Duration moveTimeout, int maxRunning) {
    service =
        service(
            new CommandSettings(
                Duration.ofSeconds(9), moveTimeout, maxRunning, 4, Duration.ofMinutes(1)));
  }

  /** Another service for the same workers. */
  CommandService service(CommandSettings settings) {
    return new CommandService(
        registry,
        (ip, port, request, timeout) -> {
          Sent it = new Sent(request, new CompletableFuture<>());
          sent.add(it);
          return it.outcome;
        },
        settings,
        counts,
        trail,
        () -> now);
  }

  /** Live agents of these ranks. */
  void agents(String instance, int... ranks) {
    for (int rank : ranks) {
      registry.put(live(new WorkerId(instance, rank), 1, agent("url-" + instance + rank)));
    }
  }

  Submission.Accepted accepted(Command command) {
    return (Submission.Accepted) service.submit(command, null);
  }

  /** What was asked as the so-and-so-manieth. */
  <T extends ControlRequest> T request(int index, Class<T> type) {
    return type.cast(sent.get(index).request);
  }

  static Command move(String from, String to) {
    return new Command.Move(from, CPU, to, CPU, TOKENS, false);
  }

  /** What became of the first worker of a command that is over. */
  static String error(Submission.Accepted command) {
    return String.valueOf(
        Objects.requireNonNull(command.end().join().workers().getFirst().outcome()).error());
  }
}

package io.kvmesh.quickstart;

import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.quickstart.body.ChunkBodies;
import io.kvmesh.quickstart.client.ClientException;
import io.kvmesh.quickstart.client.ControllersClient;
import io.kvmesh.quickstart.fleet.AgentState;
import io.kvmesh.quickstart.fleet.ChildFailure;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.replay.Keys;
import io.kvmesh.quickstart.replay.Outcome;
import io.kvmesh.quickstart.replay.Replay;
import io.kvmesh.quickstart.replay.ReplayFailure;
import io.kvmesh.quickstart.replay.ReplayWorker;
import io.kvmesh.quickstart.replay.Tally;
import io.kvmesh.quickstart.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A replay through a running fleet. */
final class FleetReplay {

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration PULL_DEADLINE = Duration.ofSeconds(10);
  private static final Duration BARRIER_TIMEOUT = Duration.ofSeconds(45);
  private static final Duration LOAN_TIMEOUT = Duration.ofSeconds(10);

  private final Fleet fleet;
  private final List<Member> agents;
  private final Keyspace keyspace;
  private final Http http;
  private final ChunkBodies bodies;

  /**
   * For some agents of a fleet.
   *
   * @param agents all that run the model
   */
  FleetReplay(Fleet fleet, List<Member> agents, String model, Http http, int pageBytes) {
    this.fleet = fleet;
    this.agents = List.copyOf(agents);
    this.keyspace = keyspace(model);
    this.http = http;
    this.bodies = new ChunkBodies(pageBytes);
  }

  /** The keyspace of the chunks that are replayed with a model. */
  static Keyspace keyspace(String model) {
    return Keyspace.of(model, 1, 0, FleetSettings.DTYPE, List.of());
  }

  /**
   * Replays the workload and adds what the agents counted meanwhile.
   *
   * @throws ChildFailure if a program ends meanwhile
   */
  Outcome run(Workload workload, Replay.Progress progress)
      throws ChildFailure, ReplayFailure, InterruptedException {
    long evictedBefore = AgentState.sum(agents, http, AgentState::evictions);
    long begin = System.nanoTime();
    Tally tally = unlessOneEnds(() -> replay(workload, progress));
    long wall = System.nanoTime() - begin;
    return tally.outcome(
        AgentState.sum(agents, http, AgentState::evictions) - evictedBefore,
        AgentState.sum(agents, http, AgentState::resident),
        wall);
  }

  private Tally replay(Workload workload, Replay.Progress progress)
      throws ReplayFailure, InterruptedException {
    List<String> replies =
        fleet.controllers().stream()
            .map(controller -> "tcp://" + controller.address(Fleet.CONTROLLER_REPLY))
            .toList();
    List<ReplayWorker> workers = new ArrayList<>();
    try (ZmqSockets sockets = new ZmqSockets();
        ControllersClient controllers = ControllersClient.open(sockets, replies, fleet.keyFile())) {
      try {
        open(sockets, workers);
        return new Replay(
                workers,
                (worker, epoch, sequence) ->
                    controllers.awaitApplied(worker, epoch, sequence, BARRIER_TIMEOUT),
                this::awaitLoansReturned,
                new Keys(keyspace),
                bodies,
                FleetSettings.CHUNK_TOKENS,
                new Replay.Times(PULL_DEADLINE, CALL_TIMEOUT))
            .run(workload, progress);
      } finally {
        workers.forEach(worker -> worker.engine().close());
      }
    } catch (ClientException | EngineClientException e) {
      throw new ReplayFailure(String.valueOf(e.getMessage()), e);
    }
  }

  private boolean awaitLoansReturned() throws InterruptedException {
    long end = System.nanoTime() + LOAN_TIMEOUT.toNanos();
    for (Member agent : agents) {
      while (loans(agent) != 0) {
        if (System.nanoTime() - end > 0) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    return true;
  }

  private long loans(Member agent) throws InterruptedException {
    try {
      return AgentState.of(agent, http).loans();
    } catch (ChildFailure e) {
      return -1;
    }
  }

  private void open(ZmqSockets sockets, List<ReplayWorker> workers)
      throws EngineClientException, InterruptedException {
    for (Member agent : agents) {
      EngineClient engine = EngineClient.open(sockets, door(agent));
      workers.add(new ReplayWorker(Fleet.worker(agent), engine));
    }
  }

  /** How an agent is asked. */
  static EngineClientSettings door(Member agent) {
    return EngineClientSettings.of("tcp://" + agent.address(Fleet.ENGINE), "quickstart")
        .withAgent(agent.name())
        .withTimeout(CALL_TIMEOUT);
  }

  /** Runs the replay on a thread of its own, and gives it up as soon as a program has ended. */
  private Tally unlessOneEnds(Callable<Tally> replay)
      throws ChildFailure, ReplayFailure, InterruptedException {
    AtomicReference<@Nullable ChildFailure> death = new AtomicReference<>();
    FutureTask<Tally> task = new FutureTask<>(replay);
    List<CompletableFuture<Void>> watches =
        fleet.members().stream()
            .map(
                member ->
                    member
                        .onExit()
                        .thenRun(
                            () -> {
                              death.compareAndSet(null, member.ended());
                              task.cancel(true);
                            }))
            .toList();
    Thread thread = Thread.ofPlatform().daemon().name("replay").start(task);
    try {
      return task.get();
    } catch (CancellationException e) {
      throw Objects.requireNonNull(death.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ReplayFailure failure) {
        throw failure;
      }
      throw new IllegalStateException("the replay has a fault of its own", e.getCause());
    } finally {
      watches.forEach(watch -> watch.cancel(false));
      thread.interrupt();
      thread.join();
    }
  }
}

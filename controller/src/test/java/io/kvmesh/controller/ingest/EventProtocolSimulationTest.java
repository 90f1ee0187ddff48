package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.WorkerState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Agents that restart, overflow, lose and repeat records and are written off at random, and three
 * readers of their log: from its start, from somewhere in the middle, and loaded from what a writer
 * holds while it goes on. Whenever one of them has applied an agent's last operation and doesn't
 * call it suspect, and once all is quiet, it must hold what the agent holds.
 */
final class EventProtocolSimulationTest {

  private static final int SCHEDULES = 100;
  private static final int STEPS = 300;

  @Test
  void whateverHappened_onceAllIsQuiet_everyViewIsRight() {
    long first = new Random().nextLong();
    for (int i = 0; i < SCHEDULES; i++) {
      new Schedule(first + i).run();
    }
  }

  /** A heartbeat told a reader from the middle all, and the operation after it was lost. */
  @Test
  void operationLostAfterTheFirstHeartbeatThatAgreed_isAGap() {
    new Schedule(-8391535505649435736L).run();
  }

  private static final class Schedule {

    private final long seed;
    private final Random random;
    private final List<LogRecord> log = new ArrayList<>();
    private final TestView fromStart = new TestView();
    private final TestView fromMiddle = new TestView();
    private final TestView loaded = new TestView();
    private final SimulatedAgent[] agents = new SimulatedAgent[2];
    private final List<SimulatedAgent> zombies = new ArrayList<>();
    private final int middle;
    private final int progressRead;
    private final int keysRead;
    private Map<TestAgent, WorkerProgress> progress = Map.of();
    private int loadFrom;
    private boolean isLoaded;
    private boolean isMiddle;

    Schedule(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.middle = random.nextInt(STEPS);
      this.progressRead = random.nextInt(STEPS);
      this.keysRead = progressRead + random.nextInt(STEPS - progressRead);
    }

    void run() {
      for (int i = 0; i < agents.length; i++) {
        restart(i);
      }
      for (int step = 0; step < STEPS; step++) {
        if (step == progressRead) {
          readProgress();
        }
        if (step == keysRead) {
          readKeys();
        }
        isMiddle |= step >= middle;
        step(random.nextInt(agents.length));
        for (SimulatedAgent agent : agents) {
          List.of(fromStart, fromMiddle, loaded).forEach(view -> checkIfSure(view, agent.cache));
        }
      }
      isMiddle = true;
      calmDown();
      for (TestView view : List.of(fromStart, fromMiddle, loaded)) {
        for (SimulatedAgent agent : agents) {
          check(view, agent.cache);
        }
      }
    }

    private void step(int index) {
      SimulatedAgent agent = agents[index];
      int kind = random.nextInt(100);
      if (kind < 45) {
        agent.work();
      } else if (kind < 70) {
        send(agent, random.nextInt(6));
      } else if (kind < 80) {
        agent.cut();
      } else if (kind < 88) {
        agent.heartbeat();
      } else if (kind < 90) {
        agent.poll();
      } else if (kind < 92 && !(log.getLast().event() instanceof WorkerUp)) {
        append(log.getLast().event());
      } else if (kind < 93) {
        append(agent.cache.down(DownReason.EXPIRED));
      } else if (kind < 94) {
        zombies.add(agent);
        restart(index);
      } else if (kind < 97 && !zombies.isEmpty()) {
        SimulatedAgent zombie = zombies.get(random.nextInt(zombies.size()));
        zombie.work();
        zombie.heartbeat();
        send(zombie, 3);
      } else {
        askIfSuspect();
      }
    }

    private void restart(int index) {
      agents[index] = new SimulatedAgent("agent-" + index, random);
      append(agents[index].cache.up());
      agents[index].cache.acknowledged(log.getLast().offset());
    }

    private void send(SimulatedAgent agent, int count) {
      for (int i = 0; i < count; i++) {
        LogEvent event = agent.poll();
        if (event != null) {
          append(event);
        }
      }
    }

    private void append(LogEvent event) {
      LogRecord record = new LogRecord(TestView.PARTITION, log.size(), 0, event);
      log.add(record);
      fromStart.read(record);
      if (isMiddle) {
        fromMiddle.read(record);
      }
      if (isLoaded) {
        loaded.read(record);
      }
    }

    /** What a writer has stored beside the keys: read first. */
    private void readProgress() {
      progress = new HashMap<>();
      for (SimulatedAgent agent : agents) {
        WorkerStream stream = fromStart.streams.stream(agent.cache.id());
        if (stream != null) {
          progress.put(agent.cache, stream.progress());
        }
      }
      loadFrom = log.size();
    }

    /** The keys, as they are by now; then the log from where the progress was. */
    private void readKeys() {
      progress.forEach(
          (agent, read) -> {
            Set<Long> keys = fromStart.held(agent);
            long[] hashes = keys.stream().mapToLong(Long::longValue).toArray();
            boolean[] admits = new boolean[hashes.length];
            Arrays.fill(admits, true);
            loaded.index.apply(
                new WorkerChange(
                    agent.id(),
                    -1,
                    read.offset(),
                    false,
                    List.of(
                        new ChangeStep.Operations(
                            TestAgent.LOCATION, TestAgent.KEYSPACE, hashes, admits, false)),
                    () -> read));
            loaded.streams.resume(
                agent.id(),
                read.withoutSnapshots(),
                Map.of(TestAgent.LOCATION, loaded.index.totals(agent.id(), TestAgent.LOCATION)));
          });
      log.subList(loadFrom, log.size()).forEach(loaded::read);
      isLoaded = true;
    }

    private void askIfSuspect() {
      for (SimulatedAgent agent : agents) {
        for (TestView view : List.of(fromStart, fromMiddle, loaded)) {
          WorkerStream stream = view.streams.stream(agent.cache.id());
          if (stream != null && stream.isSuspect()) {
            agent.snapshotWanted();
          }
        }
      }
    }

    /** The agents go on, without new faults; zombies are gone. */
    private void calmDown() {
      for (int round = 0; round < 4; round++) {
        for (SimulatedAgent agent : agents) {
          agent.work();
          do {
            send(agent, 1_000);
            agent.cut();
          } while (agent.isCutting());
          agent.heartbeat();
          send(agent, 1_000);
        }
        askIfSuspect();
      }
    }

    private void checkIfSure(TestView view, TestAgent agent) {
      WorkerStream stream = view.streams.stream(agent.id());
      if (stream == null || stream.isSuspect() || stream.epoch() != agent.epoch()) {
        return;
      }
      LocationProgress location = stream.progress().locations().get(TestAgent.LOCATION);
      if (location != null && location.sequence() == agent.sequence()) {
        assertThat(view.index.totals(agent.id()))
            .as("seed %s", seed)
            .isEqualTo(new KeyTotals(agent.resident().size(), agent.digest()));
      }
    }

    private void check(TestView view, TestAgent agent) {
      WorkerStream stream = view.streams.stream(agent.id());
      assertThat(stream).as("seed %s", seed).isNotNull();
      assertThat(stream.view(false).state()).as("seed %s", seed).isEqualTo(WorkerState.LIVE);
      assertThat(view.held(agent)).as("seed %s", seed).isEqualTo(agent.resident());
      assertThat(view.index.totals(agent.id()))
          .as("seed %s", seed)
          .isEqualTo(new KeyTotals(agent.resident().size(), agent.digest()));
    }
  }
}

package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A foreign worker that admits, evicts, lists what it holds, registers anew and gives up at random,
 * over doors that lose, repeat and mix up what it pushes; and three readers of the log: from its
 * start, from the middle, and loaded from what the first holds. A model is the worker's own set.
 *
 * <p>What must hold: a sync is complete only where the view holds exactly what the worker does;
 * until then no key goes that the worker hasn't evicted; a view that has the worker's last
 * operation and wants no sync is right; and once nothing is lost any more all are right. Only the
 * first operation that a reader gets of a life is never lost: its number may be any, as with
 * LMCache.
 */
final class ForeignSyncSimulationTest {

  private static final int SCHEDULES = 200;
  private static final int STEPS = 150;
  private static final int BATCH = 3;
  private static final int KEYS = 60;

  @Test
  void whateverIsLost_noViewIsWrongAndSure_andTheQuietMendsAll() {
    long first = new Random().nextLong();
    for (int i = 0; i < SCHEDULES; i++) {
      new Schedule(first + i).run();
    }
  }

  private static final class Schedule {

    private final long seed;
    private final Random random;
    private final ForeignLog worker = new ForeignLog("f", 0);
    private final Set<Long> resident = new HashSet<>();
    private final TestView fromStart = new TestView();
    private final TestView fromMiddle = new TestView();
    private final TestView loaded = new TestView();
    private final List<TestView> readers = new ArrayList<>(List.of(fromStart));
    private long offset = 1_000;
    private long now = 1_700_000_000_000L;
    private int syncs;
    private boolean losing = true;

    Schedule(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      register();
      int middle = random.nextInt(STEPS);
      int load = random.nextInt(STEPS);
      for (int step = 0; step < STEPS; step++) {
        if (step == middle) {
          readers.add(fromMiddle);
          append(admit(random.nextInt(KEYS)));
        }
        if (step == load) {
          worker.load(fromStart, loaded);
          readers.add(loaded);
        }
        step();
        checkIfSure();
      }
      losing = false;
      for (int round = 0; round < 3; round++) {
        work();
        pass(400_000);
        append(worker.heartbeat());
        if (readers.stream().anyMatch(view -> wanted(view) != null)) {
          sync();
        }
      }
      work();
      readers.forEach(this::checkRight);
    }

    private void step() {
      int kind = random.nextInt(100);
      pass(random.nextInt(20_000));
      if (kind < 60) {
        work();
      } else if (kind < 75) {
        append(worker.heartbeat());
      } else if (kind < 80) {
        register();
      } else {
        sync();
      }
    }

    private void register() {
      append(worker.up());
      worker.began(offset);
      resident.clear();
      append(admit(random.nextInt(KEYS)));
    }

    private LogEvent admit(long hash) {
      resident.add(hash);
      return worker.admit(hash);
    }

    /** Admits and evicts, each in a message that may be lost; two may change places. */
    private void work() {
      List<LogEvent> messages = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        long hash = random.nextInt(KEYS);
        boolean admit = random.nextInt(3) > 0;
        messages.add(admit ? worker.admit(hash) : worker.evict(hash));
        if (admit) {
          resident.add(hash);
        } else {
          resident.remove(hash);
        }
      }
      if (losing && random.nextInt(10) == 0) {
        Collections.shuffle(messages, random);
      }
      messages.forEach(message -> push(message, 20));
    }

    private void push(LogEvent message, int oneIn) {
      if (losing && random.nextInt(oneIn) == 0) {
        return;
      }
      append(message);
      if (losing && random.nextInt(oneIn) == 0) {
        append(message);
      }
    }

    /** As LMCache's worker does it: frozen, three rounds of what is missing, then on. */
    private void sync() {
      String id = "sync-" + syncs++;
      List<long[]> batches = batches();
      append(worker.start(id, batches.size(), resident.size()));
      List<Integer> due = new ArrayList<>();
      for (int i = 0; i < batches.size(); i++) {
        due.add(i);
      }
      for (int round = 0; round < 4 && !due.isEmpty(); round++) {
        List<LogEvent> messages = new ArrayList<>();
        due.forEach(i -> messages.add(worker.batch(id, i, batches.get(i))));
        messages.add(worker.end(id));
        if (losing && random.nextInt(3) == 0) {
          Collections.shuffle(messages, random);
        }
        for (LogEvent message : messages) {
          push(message, 4);
          readers.forEach(view -> checkSync(view, id));
        }
        due = missing(readers.get(random.nextInt(readers.size())), id);
        if (losing && random.nextInt(10) == 0) {
          return;
        }
      }
    }

    private List<long[]> batches() {
      List<Long> keys = new ArrayList<>(resident);
      List<long[]> batches = new ArrayList<>();
      for (int from = 0; from < Math.max(1, keys.size()); from += BATCH) {
        batches.add(
            keys.subList(from, Math.min(keys.size(), from + BATCH)).stream()
                .mapToLong(Long::longValue)
                .toArray());
      }
      return batches;
    }

    /** What a status answers. */
    private List<Integer> missing(TestView view, String id) {
      SyncView.Sync sync = worker.view(view).sync().latest();
      if (sync == null || !sync.id().equals(id) || sync.state() != SyncView.State.RUNNING) {
        return List.of();
      }
      return sync.whole() ? List.of(sync.batchCount() - 1) : sync.missing();
    }

    /** While it runs everything is still there that was; once complete exactly the list. */
    private void checkSync(TestView view, String id) {
      SyncView.Sync sync = worker.view(view).sync().latest();
      if (sync != null && sync.id().equals(id) && sync.state() == SyncView.State.COMPLETE) {
        assertThat(worker.held(view)).as("seed %s", seed).isEqualTo(resident);
        assertThat(sync.missing()).as("seed %s", seed).isEmpty();
      }
    }

    private void append(LogEvent event) {
      offset++;
      LogRecord record = new LogRecord(TestView.PARTITION, offset, now, event);
      for (TestView view : readers) {
        Set<Long> before = worker.isKnown(view) ? worker.held(view) : Set.of();
        view.read(record);
        if (worker.isKnown(view) && wantsOrRuns(view)) {
          checkNothingLost(view, before, event);
        }
      }
    }

    /** Nothing goes but by an evict or another life, unless a sync is complete. */
    private void checkNothingLost(TestView view, Set<Long> before, LogEvent event) {
      if (event instanceof SnapshotBatch
          || event instanceof SnapshotEnd
          || event instanceof SnapshotStart) {
        assertThat(worker.held(view)).as("seed %s", seed).containsAll(before);
      }
    }

    private boolean wantsOrRuns(TestView view) {
      return worker.view(view).sync().isRunning() || wanted(view) == SyncView.Wanted.FAILED;
    }

    private SyncView.@Nullable Wanted wanted(TestView view) {
      return worker.view(view).sync().wanted();
    }

    private void pass(long millis) {
      now += millis;
    }

    private void checkIfSure() {
      for (TestView view : readers) {
        if (!worker.isKnown(view)) {
          continue;
        }
        WorkerView seen = worker.view(view);
        LocationView location = seen.locations().get(Workers.CPU);
        if (seen.epoch() == worker.epoch()
            && seen.sync().isDone()
            && location != null
            && location.sequence() == worker.sequence()) {
          assertThat(worker.held(view)).as("seed %s", seed).isEqualTo(resident);
        }
      }
    }

    private void checkRight(TestView view) {
      assertThat(worker.view(view).state()).as("seed %s", seed).isEqualTo(WorkerState.LIVE);
      assertThat(wanted(view)).as("seed %s", seed).isNull();
      assertThat(worker.held(view)).as("seed %s", seed).isEqualTo(resident);
    }
  }
}

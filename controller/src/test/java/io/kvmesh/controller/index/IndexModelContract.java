package io.kvmesh.controller.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeStep.Drop;
import io.kvmesh.controller.index.ChangeStep.Measure;
import io.kvmesh.controller.index.ChangeStep.Operations;
import io.kvmesh.controller.index.ChangeStep.SnapshotApply;
import io.kvmesh.controller.index.ChangeStep.SnapshotBegin;
import io.kvmesh.controller.index.ChangeStep.SnapshotKeys;
import io.kvmesh.controller.index.ChangeStep.SnapshotVoid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What every view of the log must do after any sequence of changes: what a simple model does. */
abstract class IndexModelContract extends ChunkIndexFixture {

  /** Changes of the random run. */
  protected int randomChanges() {
    return 3_000;
  }

  @Test
  void randomChanges_equalTheModel() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    IndexModel model = new IndexModel();
    WorkerId[] workers = {A, B, C};
    Map<Placement, Boolean> snapshots = new HashMap<>();
    for (int i = 0; i < randomChanges(); i++) {
      WorkerId worker = workers[random.nextInt(workers.length)];
      String location = random.nextInt(4) == 0 ? DISK : CPU;
      List<ChangeStep> steps = randomSteps(random, worker, location, snapshots);
      List<KeyTotals> expected = new ArrayList<>();
      for (ChangeStep step : steps) {
        model.apply(worker, step);
        boolean named = !(step instanceof Drop);
        expected.add(named ? model.totals(new Placement(worker, location)) : KeyTotals.NONE);
      }
      assertThat(applyAll(worker, steps)).as("seed %s, change %s", seed, i).isEqualTo(expected);
      if (i % 50 == 0) {
        compare(model, random, workers, "seed " + seed + ", change " + i);
      }
      betweenChanges();
    }
  }

  /** Lets an implementation do its housekeeping. */
  protected void betweenChanges() {}

  private static List<ChangeStep> randomSteps(
      Random random, WorkerId worker, String location, Map<Placement, Boolean> snapshots) {
    Placement placement = new Placement(worker, location);
    boolean running = snapshots.getOrDefault(placement, false);
    Keyspace keyspace = random.nextBoolean() ? LLAMA : QWEN;
    int kind = random.nextInt(100);
    if (kind < 2) {
      snapshots.keySet().removeIf(p -> p.worker().equals(worker));
      return List.of(new Drop());
    }
    if (kind < 8) {
      snapshots.put(placement, true);
      return List.of(new SnapshotBegin(location));
    }
    if (running && kind < 20) {
      snapshots.put(placement, false);
      return List.of(kind < 12 ? new SnapshotVoid(location) : new SnapshotApply(location));
    }
    if (running && kind < 50) {
      return List.of(new SnapshotKeys(location, keyspace, randomHashes(random)));
    }
    long[] hashes = randomHashes(random);
    boolean[] admits = new boolean[hashes.length];
    for (int i = 0; i < admits.length; i++) {
      admits[i] = random.nextInt(5) < 3;
    }
    return List.of(
        new Operations(location, keyspace, hashes, admits, running), new Measure(location));
  }

  private static long[] randomHashes(Random random) {
    return random.longs(random.nextInt(40)).map(l -> Math.floorMod(l, 200L)).toArray();
  }

  private void compare(IndexModel model, Random random, WorkerId[] workers, String context) {
    for (int i = 0; i < 20; i++) {
      long hash = random.nextInt(200);
      Keyspace keyspace = random.nextBoolean() ? LLAMA : QWEN;
      TreeSet<String> found = new TreeSet<>();
      index().holders(keyspace, hash).forEach(placement -> found.add(placement.toString()));
      assertThat(found).as(context).isEqualTo(model.holders(keyspace, hash));
    }
    long[] hashes = random.longs(30, 0, 6).distinct().toArray();
    List<PrefixMatch> expected = new ArrayList<>();
    for (WorkerId worker : workers) {
      for (String location : List.of(CPU, DISK)) {
        int length = model.prefix(new Placement(worker, location), LLAMA, hashes);
        assertThat(index().prefix(worker, location, LLAMA, hashes)).as(context).isEqualTo(length);
        if (length > 0) {
          expected.add(new PrefixMatch(worker, location, length));
        }
      }
    }
    List<PrefixMatch> matches = index().prefixes(LLAMA, hashes, worker -> true);
    assertThat(matches).as(context).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(matches.stream().map(m -> -m.length())).as(context).isSorted();
  }
}

package io.kvmesh.quickstart.model;

import io.kvmesh.quickstart.options.Policy;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rules of a replay over plain collections: the oracle for what the real system counts. */
public final class ReplayModel {

  private final List<ModelCache> caches = new ArrayList<>();
  private long requests;
  private long local;
  private long peer;
  private long miss;
  private long notStored;

  private ReplayModel(int workers, int chunks, Policy policy) {
    for (int i = 0; i < workers; i++) {
      caches.add(new ModelCache(policy, chunks));
    }
  }

  /** Replays the workload on {@code workers} caches with room for {@code chunks} each. */
  public static Counts replay(Workload workload, int workers, int chunks, Policy policy) {
    ReplayModel model = new ReplayModel(workers, chunks, policy);
    workload.prompts().forEach(model::request);
    return model.expected();
  }

  private void request(Prompt prompt) {
    ModelCache cache = caches.get((int) (requests++ % caches.size()));
    int localEnd = prefix(cache, prompt, 0);
    int peerEnd = localEnd;
    for (ModelCache other : caches) {
      if (other != cache) {
        peerEnd = Math.max(peerEnd, prefix(other, prompt, localEnd));
      }
    }
    local += localEnd;
    peer += peerEnd - localEnd;
    miss += prompt.size() - peerEnd;
    update(cache, prompt, localEnd);
  }

  private void update(ModelCache cache, Prompt prompt, int localEnd) {
    Set<Long> inUse = new HashSet<>();
    for (int i = localEnd - 1; i >= 0; i--) {
      cache.hit(prompt.block(i));
      inUse.add(prompt.block(i));
    }
    for (int i = localEnd; i < prompt.size(); i++) {
      long block = prompt.block(i);
      if (cache.contains(block) || cache.put(block, inUse)) {
        inUse.add(block);
      } else {
        notStored++;
      }
    }
  }

  private static int prefix(ModelCache cache, Prompt prompt, int from) {
    int end = from;
    while (end < prompt.size() && cache.contains(prompt.block(end))) {
      end++;
    }
    return end;
  }

  private Counts expected() {
    return new Counts(
        requests,
        local,
        peer,
        miss,
        notStored,
        caches.stream().mapToLong(ModelCache::evictions).sum(),
        caches.stream().mapToLong(ModelCache::size).sum());
  }
}

package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A view of the log that catches up when the test says so. */
final class FakeView implements LogView {

  volatile boolean ready = true;
  volatile boolean snapshotWanted;

  /** Catches up by itself, at once. */
  volatile boolean neverBehind;

  private final List<CompletableFuture<Boolean>> waits = new ArrayList<>();

  @Override
  public boolean ready() {
    return ready;
  }

  @Override
  public synchronized CompletableFuture<Boolean> caughtUp(Duration timeout) {
    if (neverBehind) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> wait = new CompletableFuture<>();
    waits.add(wait);
    return wait;
  }

  @Override
  public boolean snapshotWanted(WorkerId worker) {
    return snapshotWanted;
  }

  /** Ends every wait that has begun. */
  synchronized void catchUp() {
    waits.forEach(wait -> wait.complete(true));
    waits.clear();
  }

  synchronized int waits() {
    return waits.size();
  }
}

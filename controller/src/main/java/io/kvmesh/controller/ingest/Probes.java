package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.registry.WorkerProbe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The questions to foreign workers that send no heartbeats and of which nothing was heard for long.
 * Who doesn't answer {@value #PATIENCE} times in a row is taken for gone. Belongs to its reader's
 * thread.
 */
final class Probes {

  /** Questions without an answer after which a worker counts as gone. */
  private static final int PATIENCE = 3;

  private static final int MAX_AT_A_TIME = 32;

  private final WorkerProbe probe;
  private final Map<WorkerId, Probed> asked = new HashMap<>();
  private int open;

  /** What is known of a worker that was asked. */
  private static final class Probed {

    private final long epoch;
    private final int partition;
    private int unanswered;
    private long nextMillis;
    private @Nullable CompletableFuture<Boolean> answer;

    Probed(long epoch, int partition) {
      this.epoch = epoch;
      this.partition = partition;
    }
  }

  Probes(WorkerProbe probe) {
    this.probe = probe;
  }

  /** Takes answers and asks further; those that count as gone. */
  List<WorkerStream> check(WorkerStreams streams, int partition) {
    List<WorkerStream> gone = new ArrayList<>();
    List<WorkerStream> unheard = streams.unheard(partition);
    List<WorkerId> ids = unheard.stream().map(WorkerStream::id).toList();
    asked.entrySet().removeIf(e -> e.getValue().partition == partition && forget(e, ids));
    for (WorkerStream stream : unheard) {
      Announcement announcement = stream.announcement();
      if (announcement == null || isGone(streams, stream, announcement)) {
        gone.add(stream);
      }
    }
    return gone;
  }

  private boolean forget(Map.Entry<WorkerId, Probed> known, List<WorkerId> unheard) {
    boolean over = !unheard.contains(known.getKey());
    if (over && known.getValue().answer != null) {
      open--;
    }
    return over;
  }

  private boolean isGone(WorkerStreams streams, WorkerStream stream, Announcement announcement) {
    Probed probed = asked.get(stream.id());
    if (probed == null || probed.epoch != stream.epoch()) {
      probed = new Probed(stream.epoch(), stream.partition());
      asked.put(stream.id(), probed);
    }
    if (hasAnswered(probed)) {
      asked.remove(stream.id());
      streams.heard(stream.id());
      return false;
    }
    long now = streams.millis(stream.partition());
    if (probed.unanswered < PATIENCE
        && probed.answer == null
        && now >= probed.nextMillis
        && open < MAX_AT_A_TIME) {
      probed.nextMillis = now + streams.probeIntervalMillis();
      probed.answer = probe.isAlive(stream.id(), announcement);
      open++;
    }
    return probed.unanswered >= PATIENCE;
  }

  private boolean hasAnswered(Probed probed) {
    CompletableFuture<Boolean> answer = probed.answer;
    if (answer == null || !answer.isDone()) {
      return false;
    }
    probed.answer = null;
    open--;
    if (!answer.join()) {
      probed.unanswered++;
      return false;
    }
    return true;
  }
}

package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of two processes that use one identity: counts each message, warns once a pair. */
final class Conflicts {

  private static final Logger LOG = LoggerFactory.getLogger(Conflicts.class);
  private static final int MAX_REMEMBERED = 1000;

  private final FrontCounts counts;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  Conflicts(FrontCounts counts) {
    this.counts = counts;
  }

  /** Whether both are at one address; else it is a conflict. */
  boolean sameAddress(WorkerId worker, Announcement known, Announcement now) {
    if (known.ip().equals(now.ip()) && known.port() == now.port()) {
      return true;
    }
    note(worker, known, now);
    return false;
  }

  void note(WorkerId worker, Announcement known, Announcement now) {
    counts.conflict();
    if (told.size() >= MAX_REMEMBERED) {
      told.clear();
    }
    String pair =
        "%s at %s:%d while it is alive at %s:%d"
            .formatted(worker, now.ip(), now.port(), known.ip(), known.port());
    if (told.add(pair)) {
      LOG.warn("Two processes use one identity, or one has moved: {}", pair);
    }
  }
}

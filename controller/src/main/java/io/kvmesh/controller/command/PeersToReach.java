package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Whom a worker would pull from: live agents of its rank in other instances, with pages like its
 * own.
 */
final class PeersToReach {

  private PeersToReach() {}

  /**
   * Their addresses. Of more than are tried at a time those that follow the worker in the order of
   * names, around the end, so that all workers together try each.
   */
  static List<String> of(WorkerView worker, List<WorkerView> all) {
    List<WorkerView> peers =
        new ArrayList<>(
            all.stream()
                .filter(other -> isPeer(worker, other))
                .sorted(Comparator.comparing(PeersToReach::name))
                .toList());
    long before = peers.stream().filter(peer -> name(peer).compareTo(name(worker)) < 0).count();
    Collections.rotate(peers, (int) -before);
    return peers.stream()
        .limit(ReachWorkerMsg.MOST_PEERS)
        .map(peer -> Objects.requireNonNull(peer.announcement()).peerInitUrl())
        .map(Objects::requireNonNull)
        .toList();
  }

  private static String name(WorkerView worker) {
    return worker.id().instanceId();
  }

  private static boolean isPeer(WorkerView worker, WorkerView other) {
    Announcement own = worker.announcement();
    Announcement told = other.announcement();
    return own != null
        && told != null
        && told.kind() == WorkerKind.AGENT
        && other.state().isOffered()
        && other.id().rank() == worker.id().rank()
        && !name(other).equals(name(worker))
        && told.peerInitUrl() != null
        && !told.peerInitUrl().isBlank()
        && Objects.equals(told.model(), own.model())
        && Objects.equals(told.pageBytes(), own.pageBytes())
        && Objects.equals(told.chunkTokens(), own.chunkTokens());
  }
}

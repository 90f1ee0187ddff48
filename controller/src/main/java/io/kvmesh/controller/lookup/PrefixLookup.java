package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.PrefixMatch;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pure function of the index view and the live workers.
 *
 * <p>Offered is a worker that is not silent, not of the requester's instance, holds chunks of the
 * requester's keyspace (which names the rank), matches what the requester announced and has an
 * address. A worker that is suspect is offered: a wrong key costs it a short hit. Of holders of
 * equally many chunks the nearest to the requester is the best.
 */
public final class PrefixLookup implements HolderLookup {

  private static final Comparator<Candidate> LONGEST_THEN_NEAREST =
      Comparator.comparingInt((Candidate candidate) -> -candidate.match.length())
          .thenComparingInt(candidate -> candidate.distance)
          .thenComparingLong(candidate -> candidate.view.registeredMillis())
          .thenComparing(candidate -> candidate.view.id().toString())
          .thenComparing(candidate -> candidate.match.location());

  private final ChunkIndex index;
  private final WorkerRegistry registry;

  public PrefixLookup(ChunkIndex index, WorkerRegistry registry) {
    this.index = index;
    this.registry = registry;
  }

  @Override
  public LookupAnswer.Found find(Requester requester, long[] hashBits) {
    if (hashBits.length == 0) {
      return new LookupAnswer.Found(List.of(), 0, 0);
    }
    Selection selection = new Selection(requester, announcementOf(requester));
    List<PrefixMatch> matches =
        index.prefixes(requester.keyspace(), hashBits, selection::isEligible);
    return selection.answer(matches);
  }

  private @Nullable Announcement announcementOf(Requester requester) {
    return Optional.ofNullable(requester.worker())
        .flatMap(registry::worker)
        .map(WorkerView::announcement)
        .orElse(null);
  }

  private record Candidate(PrefixMatch match, WorkerView view, int distance) {}

  /** The workers met in one lookup. */
  private final class Selection {

    private final Requester requester;
    private final @Nullable Announcement wanted;
    private final Map<WorkerId, WorkerView> eligible = new HashMap<>();
    private int mismatched;
    private int withoutAddress;

    Selection(Requester requester, @Nullable Announcement wanted) {
      this.requester = requester;
      this.wanted = wanted;
    }

    boolean isEligible(WorkerId id) {
      if (eligible.containsKey(id)) {
        return true;
      }
      WorkerView view = registry.worker(id).orElse(null);
      if (view == null || !view.state().isOffered() || requester.isInstance(id.instanceId())) {
        return false;
      }
      Announcement offered = view.announcement();
      if (offered == null || isBlank(offered.peerInitUrl())) {
        withoutAddress++;
        return false;
      }
      if (!AnnouncementMatch.serves(offered, requester.keyspace(), wanted)) {
        mismatched++;
        return false;
      }
      eligible.put(id, view);
      return true;
    }

    LookupAnswer.Found answer(List<PrefixMatch> matches) {
      List<Candidate> candidates = new ArrayList<>(matches.size());
      for (PrefixMatch match : matches) {
        WorkerView view = eligible.get(match.worker());
        if (view != null && match.length() > 0) {
          int distance = Nearness.distance(wanted, view.announcement());
          candidates.add(new Candidate(match, view, distance));
        }
      }
      candidates.sort(LONGEST_THEN_NEAREST);
      return new LookupAnswer.Found(
          candidates.stream().map(Selection::holder).toList(), mismatched, withoutAddress);
    }

    private static Holder holder(Candidate candidate) {
      Announcement offered = candidate.view.announcement();
      String url = offered == null ? null : offered.peerInitUrl();
      return new Holder(
          candidate.view.id(),
          candidate.match.location(),
          candidate.match.length(),
          url == null ? "" : url,
          candidate.view.epoch());
    }

    private static boolean isBlank(@Nullable String url) {
      return url == null || url.isBlank();
    }
  }
}

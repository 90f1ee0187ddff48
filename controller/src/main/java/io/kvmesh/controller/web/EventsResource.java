package io.kvmesh.controller.web;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import io.kvmesh.controller.trail.TrailPage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What this controller lately saw. */
@RestController
@RequestMapping("/api/v1/events")
public final class EventsResource {

  private static final int MAX_LIMIT = 1000;

  private final Trail trail;

  public EventsResource(Trail trail) {
    this.trail = trail;
  }

  /** A part of the trail; see {@link TrailPage}. */
  record EventsJson(long next, boolean anew, long missed, List<EventJson> events) {}

  /** One event; see {@link TrailEvent}. */
  record EventJson(
      long id,
      long millis,
      Kind kind,
      @Nullable String instanceId,
      @Nullable Integer rank,
      @Nullable Long epoch,
      @Nullable Long sequence,
      int admits,
      int evicts,
      List<String> hashes,
      @Nullable String location,
      String text) {

    static EventJson of(TrailEvent event) {
      return new EventJson(
          event.id(),
          event.millis(),
          event.kind(),
          event.instanceId(),
          event.rank(),
          event.epoch() < 0 ? null : event.epoch(),
          event.sequence() < 0 ? null : event.sequence(),
          event.admits(),
          event.evicts(),
          event.hashes().stream().map(HashValue::text).toList(),
          event.location(),
          event.text());
    }
  }

  @GetMapping
  EventsJson events(
      @RequestParam(required = false) @Nullable Long after,
      @RequestParam(required = false) @Nullable String worker,
      @RequestParam(required = false) @Nullable List<String> kind,
      @RequestParam(defaultValue = "100") int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Problems.badRequest("limit", limit, "must be between 1 and " + MAX_LIMIT);
    }
    TrailPage page = trail.read(after, kinds(kind), of(worker), limit);
    return new EventsJson(
        page.next(),
        page.anew(),
        page.missed(),
        page.events().stream().map(EventJson::of).toList());
  }

  private static Set<Kind> kinds(@Nullable List<String> names) {
    if (names == null || names.isEmpty()) {
      return EnumSet.allOf(Kind.class);
    }
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    for (String name : names) {
      try {
        kinds.add(Kind.valueOf(name.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw Problems.badRequest(
            "kind", name, "must be of " + Arrays.toString(Kind.values()).toLowerCase(Locale.ROOT));
      }
    }
    return kinds;
  }

  /** Of an instance, or of a worker by instance/rank. */
  private static Predicate<TrailEvent> of(@Nullable String worker) {
    return worker == null
        ? event -> true
        : event ->
            worker.equals(event.instanceId())
                || (event.instanceId() != null
                    && event.rank() != null
                    && worker.equals(new WorkerId(event.instanceId(), event.rank()).toString()));
  }
}

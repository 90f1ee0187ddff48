package io.kvmesh.controller.trail;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What is kept, and what a reader that comes back is told. */
class TrailTest {

  private static final Set<Kind> ALL = EnumSet.allOf(Kind.class);
  private static final WorkerId WORKER = new WorkerId("a", 0);

  private Instant now = Instant.ofEpochMilli(5_000);
  private final Trail trail = new Trail(() -> now);

  private void batch(long sequence) {
    trail.addBatch(1, WORKER, 7, sequence, 1, 0, List.of(9L), "cpu", "m@1@0@half");
  }

  private void gap(String text) {
    trail.add(Kind.GAP, 1, WORKER, 7, -1, "cpu", text);
  }

  private TrailPage after(long id, Kind... kinds) {
    return trail.read(id, kinds.length == 0 ? ALL : Set.of(kinds), event -> true, 10_000);
  }

  @Test
  void reader_getsEachEventOnceInOrder() {
    batch(1);
    gap("one");
    TrailPage first = trail.read(null, ALL, event -> true, 10);
    batch(2);
    TrailPage second = after(first.next());

    assertThat(first.events())
        .extracting(TrailEvent::kind)
        .containsExactly(Kind.OPERATIONS, Kind.GAP);
    assertThat(first.events()).extracting(TrailEvent::id).isSorted();
    assertThat(second.events()).extracting(TrailEvent::sequence).containsExactly(2L);
    assertThat(second.missed()).isZero();
    assertThat(after(second.next()).events()).isEmpty();
  }

  @Test
  void limit_isPagedForwards_andWithoutAPlaceTheLatestAreGiven() {
    for (int i = 1; i <= 5; i++) {
      batch(i);
    }
    long before = trail.read(null, ALL, event -> true, 5).events().getFirst().id() - 1;

    TrailPage page = trail.read(before, ALL, event -> true, 2);

    assertThat(page.events()).extracting(TrailEvent::sequence).containsExactly(1L, 2L);
    assertThat(trail.read(page.next(), ALL, event -> true, 2).events())
        .extracting(TrailEvent::sequence)
        .containsExactly(3L, 4L);
    assertThat(trail.read(null, ALL, event -> true, 2).events())
        .extracting(TrailEvent::sequence)
        .containsExactly(4L, 5L);
  }

  @Test
  void floodOfBatches_leavesWhatIsRare_andCountsWhatAReaderMissed() {
    gap("rare");
    long seen = trail.read(null, ALL, event -> true, 1).next();
    for (int i = 0; i < Trail.BATCHES + 10; i++) {
      batch(i);
    }

    assertThat(after(seen).missed()).isEqualTo(10);
    assertThat(after(seen).events()).hasSize(Trail.BATCHES);
    assertThat(after(seen, Kind.GAP).missed()).isZero();
    assertThat(after(seen - 1, Kind.GAP).events())
        .extracting(TrailEvent::text)
        .containsExactly("rare");
  }

  @Test
  void missedEvents_areThoseOfAModelThatKeepsAll() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 3 * Trail.BATCHES; i++) {
      if (random.nextInt(4) == 0) {
        gap("gap");
      } else {
        batch(i);
      }
      ids.add(trail.read(null, ALL, event -> true, 1).next());
      if (i % 4000 == 0) {
        int asked = random.nextInt(ids.size());
        TrailPage page = after(ids.get(asked));
        assertThat(page.missed() + page.events().size())
            .as("seed %d", seed)
            .isEqualTo(ids.size() - 1L - asked);
        TrailPage gaps = after(ids.get(asked), Kind.GAP);
        assertThat(gaps.missed()).isLessThanOrEqualTo(ids.size() - 1L - asked);
      }
    }
  }

  @Test
  void placeOfAFormerStart_isToldAndTheLatestAreGiven() {
    batch(1);
    long before = trail.read(null, ALL, event -> true, 1).next();
    now = now.plusSeconds(1);
    Trail again = new Trail(() -> now);
    again.add(Kind.COMMAND, "a", null, "Clear began");

    TrailPage page = again.read(before, ALL, event -> true, 10);

    assertThat(page.anew()).isTrue();
    assertThat(page.events()).extracting(TrailEvent::text).containsExactly("Clear began");
    assertThat(page.next()).isGreaterThan(before);
    assertThat(again.read(Long.MAX_VALUE, ALL, event -> true, 10).anew()).isTrue();
    assertThat(again.read(page.next(), ALL, event -> true, 10).anew()).isFalse();
  }

  @Test
  void longTexts_areCut() {
    trail.add(Kind.REFUSED, "i".repeat(5000), null, "t".repeat(5000));

    TrailEvent kept = trail.read(null, ALL, event -> true, 1).events().getFirst();

    assertThat(kept.text()).hasSizeLessThan(400);
    assertThat(kept.instanceId()).hasSizeLessThan(400);
  }

  @Test
  void manyWriters_loseNothing() {
    long start = trail.read(null, ALL, event -> true, 1).next();
    try (ExecutorService writers = Executors.newFixedThreadPool(4)) {
      for (int writer = 0; writer < 4; writer++) {
        writers.execute(
            () -> {
              for (int i = 0; i < 1000; i++) {
                batch(i);
              }
            });
      }
    }

    List<TrailEvent> kept = after(start).events();

    assertThat(kept).hasSize(4000);
    assertThat(kept.stream().map(TrailEvent::id).distinct()).hasSize(4000);
    assertThat(kept).isSortedAccordingTo(Comparator.comparingLong(TrailEvent::id));
  }
}

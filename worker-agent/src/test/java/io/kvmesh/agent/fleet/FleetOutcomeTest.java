package io.kvmesh.agent.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.PullOutcome;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FleetOutcomeTest {

  @Test
  void labels_areThoseOfTheNativeDoor() {
    assertThat(labels(new FleetOutcome.NotAsked(), new FleetOutcome.FirstRankOnly()))
        .containsExactly("none", "first_rank_only");
    assertThat(
            unanswered(
                new LookupOutcome.Rejected("no"),
                new LookupOutcome.NotReady(),
                new LookupOutcome.Unavailable("away"),
                new LookupOutcome.TimedOut()))
        .containsExactly(
            "directory_rejected",
            "directory_not_ready",
            "directory_unavailable",
            "directory_timed_out");
    assertThat(
            pulled(
                new PullOutcome.Hit(3),
                new PullOutcome.NoRoom(1),
                new PullOutcome.Unavailable(0, "away"),
                new PullOutcome.Rejected(0, 4),
                new PullOutcome.Overloaded(0),
                new PullOutcome.TimedOut(2),
                new PullOutcome.Broken(0, "short")))
        .containsExactly(
            "hit", "no_room", "unavailable", "rejected_4", "overloaded", "timed_out", "broken");
  }

  @Test
  void aPullFromAPeerThatHasItNoMore_isAMiss() {
    assertThat(FleetOutcome.of(new PullOutcome.Miss())).isEqualTo(new FleetOutcome.Miss());
    assertThat(new FleetOutcome.Miss().label()).isEqualTo("miss");
  }

  @Test
  void timeThatWasOver_isTold_whoeverItWas() {
    assertThat(new FleetOutcome.Unanswered(new LookupOutcome.TimedOut()).timedOut()).isTrue();
    assertThat(FleetOutcome.of(new PullOutcome.TimedOut(0)).timedOut()).isTrue();
    assertThat(new FleetOutcome.Unanswered(new LookupOutcome.NotReady()).timedOut()).isFalse();
    assertThat(FleetOutcome.of(new PullOutcome.Overloaded(0)).timedOut()).isFalse();
    assertThat(new FleetOutcome.NotAsked().timedOut()).isFalse();
  }

  private static List<String> labels(FleetOutcome... outcomes) {
    return Stream.of(outcomes).map(FleetOutcome::label).toList();
  }

  private static List<String> unanswered(LookupOutcome.Unanswered... lookups) {
    return Stream.of(lookups).map(FleetOutcome.Unanswered::new).map(FleetOutcome::label).toList();
  }

  private static List<String> pulled(PullOutcome... pulls) {
    return Stream.of(pulls).map(FleetOutcome::of).map(FleetOutcome::label).toList();
  }
}

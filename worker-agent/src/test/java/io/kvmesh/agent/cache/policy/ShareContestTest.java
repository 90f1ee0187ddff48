package io.kvmesh.agent.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.PlacementDigest;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShareContestTest {

  private static final int SLOTS = 400;

  /** A quarter of a cache of 400. */
  private static final int SHADOW_SLOTS = 100;

  private static final double FIRST = 0.4;

  /** A key of the sample. */
  private static long sampled(long number) {
    return PlacementDigest.mix(1, number) & ~3L;
  }

  private static void refer(ShareContest contest, int times, LongSupplier numbers) {
    for (int i = 0; i < times; i++) {
      contest.refer(sampled(numbers.getAsLong()));
    }
  }

  /**
   * Each key comes twice and never again. A cache needs room for twice the distance to hit, since
   * as many old keys come in between as new ones.
   */
  private static LongSupplier eachTwice(int distance, long first) {
    long[] next = {0};
    return () -> {
      long turn = next[0]++;
      return first + (turn % 2 == 0 ? turn / 2 : Math.max(0, turn / 2 - distance));
    };
  }

  /** A quarter of the traffic asks for some keys again and again, the others come once. */
  private static LongSupplier someAmongNewcomers(int hot, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] next = {1_000_000};
    return () -> random.nextInt(4) == 0 ? random.nextInt(hot) : next[0]++;
  }

  @Test
  void withoutTraffic_theFirstShareIsBest() {
    assertThat(new ShareContest(SLOTS).bestShare()).isEqualTo(FIRST);
  }

  @Test
  void keysThatNeverComeAgain_changeNothing() {
    ShareContest contest = new ShareContest(SLOTS);
    long[] next = {0};
    refer(contest, 50_000, () -> next[0]++);
    assertThat(contest.bestShare()).isEqualTo(FIRST);
  }

  @Test
  void keysThatComeAgainAmongManyNewcomers_areBestServedByFewNewcomers() {
    ShareContest contest = new ShareContest(SLOTS);
    refer(contest, 50_000, someAmongNewcomers(2 * SHADOW_SLOTS, 1));
    assertThat(contest.bestShare()).isLessThan(FIRST);
  }

  /** What was used often fills the second queue; keys that come twice need all the room then. */
  @Test
  void otherTraffic_isFollowed_andBack() {
    ShareContest contest = new ShareContest(SLOTS);
    for (long round = 1; round <= 3; round++) {
      refer(contest, 50_000, someAmongNewcomers(2 * SHADOW_SLOTS, round));
      assertThat(contest.bestShare()).as("round %d", round).isLessThan(FIRST);
      refer(contest, 50_000, eachTwice(SHADOW_SLOTS / 2 - 5, round * 10_000_000));
      assertThat(contest.bestShare()).as("round %d", round).isEqualTo(ShareContest.ALL);
    }
  }

  /** Weights are scaled down long before a double has no room for them. */
  @Test
  void aVeryLongRun_stillFollows() {
    ShareContest contest = new ShareContest(4);
    long[] next = {0};
    refer(contest, 2_000_000, () -> next[0]++ % 2);
    refer(contest, 2_000, () -> next[0]++ % 2);
    assertThat(contest.bestShare()).isBetween(0.1, ShareContest.ALL);
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "4, 4", "1536, 4", "1540, 8", "20000, 64", "1000000, 4096"})
  void theSample_isSmallerTheLargerTheCache(int slots, int oneIn) {
    ShareContest contest = new ShareContest(slots);
    assertThat(contest.isSampled(oneIn)).isTrue();
    assertThat(contest.isSampled(3L * oneIn)).isTrue();
    assertThat(contest.isSampled(oneIn / 2)).isFalse();
    assertThat(contest.isSampled(oneIn + 1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 9})
  void tinyCaches_haveShadowsToo(int slots) {
    ShareContest contest = new ShareContest(slots);
    SplittableRandom random = new SplittableRandom(slots);
    refer(contest, 1_000, () -> random.nextInt(10));
    assertThat(contest.bestShare()).isPositive();
  }
}

package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who is asked for what, without sockets. */
class PullSharesTest {

  private static final int PAGE = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  private long now;
  private final PeerSpeeds speeds = new PeerSpeeds(8, () -> now);

  private PullShares shares(int wanted, int mostHolders, PullHolder... holders) {
    return new PullShares(
        List.of(holders), wanted, PAGE, new PullLimits(8L * PAGE, 3, mostHolders), speeds);
  }

  private void speed(PullHolder holder, int megabytesPerSecond) {
    speeds.delivered(holder.address(), megabytesPerSecond * 1_000_000L, SECOND);
  }

  private static PullShares.Share taken(PullShares shares) {
    PullShares.Share best = shares.next().getFirst();
    shares.take(best);
    best.holder().asked(best.bytes(), 0, SECOND);
    return best;
  }

  @Test
  void one_isAskedForFullRequestsInOrder() {
    PullHolder one = new PullHolder("one", 20, 8);
    PullShares shares = shares(20, 4, one);

    assertThat(List.of(taken(shares), taken(shares), taken(shares)))
        .containsExactly(
            new PullShares.Share(one, 0, 8, 8L * PAGE),
            new PullShares.Share(one, 8, 16, 8L * PAGE),
            new PullShares.Share(one, 16, 20, 4L * PAGE));
    assertThat(shares.hasMore()).isFalse();
  }

  @Test
  void equals_getEqualSharesThatShrink() {
    PullHolder one = new PullHolder("one", 32, 8);
    PullHolder two = new PullHolder("two", 32, 8);
    PullShares shares = shares(32, 4, one, two);

    assertThat(IntStream.range(0, 4).map(i -> size(taken(shares))).toArray())
        .containsExactly(8, 6, 5, 4);
    assertThat(one.requests()).isEqualTo(2);
    assertThat(two.requests()).isEqualTo(2);
    assertThat(shares.next()).as("both are busy").isEmpty();
    assertThat(shares.hasMore()).isTrue();
  }

  private static int size(PullShares.Share share) {
    return share.to() - share.from();
  }

  @Test
  void slowOne_getsLessInProportion() {
    PullHolder slow = new PullHolder("slow", 32, 8);
    PullHolder fast = new PullHolder("fast", 32, 8);
    speed(slow, 100);
    speed(fast, 300);
    PullShares shares = shares(32, 4, slow, fast);

    Map<String, Integer> got = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      PullShares.Share share = taken(shares);
      got.merge(share.holder().address(), size(share), Integer::sum);
    }
    assertThat(got).isEqualTo(Map.of("slow", 3, "fast", 8));
  }

  @Test
  void verySlowOne_isNotAskedWhereTheOtherIsDoneBefore() {
    PullHolder slow = new PullHolder("slow", 32, 8);
    PullHolder fast = new PullHolder("fast", 32, 8);
    speed(slow, 1);
    speed(fast, 1000);
    PullShares shares = shares(32, 4, slow, fast);

    assertThat(taken(shares).holder()).isEqualTo(fast);
    assertThat(taken(shares).holder()).isEqualTo(fast);
    assertThat(shares.next()).isEmpty();
    fast.giveUp();
    assertThat(taken(shares).holder()).as("it is all there is").isEqualTo(slow);
  }

  @Test
  void lastChunk_isAskedForThoughAllTogetherWouldBeFaster() {
    PullShares shares =
        shares(
            1, 4, new PullHolder("a", 1, 8), new PullHolder("b", 1, 8), new PullHolder("c", 1, 8));

    assertThat(shares.next()).isNotEmpty();
  }

  @Test
  void unknownOne_countsAsFastAsTheFastest() {
    PullHolder known = new PullHolder("known", 32, 8);
    PullHolder unknown = new PullHolder("unknown", 32, 8);
    speed(known, 50);
    PullShares shares = shares(32, 4, known, unknown);

    assertThat(shares.next()).hasSize(2);
    assertThat(shares.next().stream().mapToInt(PullSharesTest::size)).containsExactly(8, 8);
  }

  @Test
  void speedThatIsOld_isForgotten() {
    speeds.delivered("a", 1_000_000, SECOND);
    now = 61 * SECOND;
    assertThat(speeds.of("a")).isEmpty();
  }

  @Test
  void speed_isAMeanInWhichManyBytesWeighMore() {
    speeds.delivered("a", 100_000_000, SECOND);
    speeds.delivered("a", 1000, SECOND);
    assertThat(speeds.of("a").orElseThrow()).isGreaterThan(99_000_000);
    for (int i = 0; i < 4; i++) {
      speeds.delivered("a", 10_000_000, SECOND);
    }
    assertThat(speeds.of("a").orElseThrow()).isBetween(10_000_000.0, 40_000_000.0);
  }

  @Test
  void speeds_areBounded() {
    for (int i = 0; i < 100; i++) {
      speeds.delivered("peer" + i, 1000, SECOND);
    }
    assertThat(speeds.of("peer0")).isEmpty();
    assertThat(speeds.of("peer99")).isPresent();
  }

  @Test
  void oneThatFailed_comesLast() {
    PullHolder one = new PullHolder("one", 32, 8);
    PullHolder two = new PullHolder("two", 32, 8);
    PullShares shares = shares(32, 4, one, two);
    assertThat(one.failed(0)).isTrue();
    assertThat(one.failed(0)).as("the same connection").isFalse();

    assertThat(taken(shares).holder()).isEqualTo(two);
  }

  @Test
  void chunkThatNobodyReaches_isTheEnd() {
    PullHolder one = new PullHolder("one", 10, 8);
    PullShares shares = shares(32, 4, one);
    taken(shares);
    taken(shares);

    assertThat(shares.next()).isEmpty();
    assertThat(shares.end()).isEqualTo(10);
    assertThat(shares.hasMore()).isFalse();
  }

  /** Whatever fails, every chunk is with somebody, asked for, or given up with all behind it. */
  @Test
  void randomFaults_loseNoChunk() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      int wanted = 1 + random.nextInt(60);
      PullHolder[] holders = new PullHolder[1 + random.nextInt(5)];
      for (int i = 0; i < holders.length; i++) {
        holders[i] = new PullHolder("p" + i, random.nextInt(wanted + 1), 8);
        if (random.nextBoolean()) {
          speed(holders[i], 1 + random.nextInt(1000));
        }
      }
      PullShares shares = shares(wanted, 1 + random.nextInt(4), holders);
      BitSet had = new BitSet();
      Deque<PullShares.Share> underWay = new ArrayDeque<>();
      for (int step = 0; step < 10_000 && (shares.hasMore() || !underWay.isEmpty()); step++) {
        if (underWay.isEmpty()) {
          boolean somebody = !shares.next().isEmpty();
          assertThat(somebody).as("seed %d, nobody is busy", seed).isEqualTo(shares.hasMore());
        }
        if (shares.hasMore() && random.nextBoolean() && !shares.next().isEmpty()) {
          PullShares.Share share = taken(shares);
          assertThat(size(share)).isBetween(1, 8);
          assertThat(share.holder().reaches(share.to() - 1)).isTrue();
          underWay.add(share);
        } else if (!underWay.isEmpty()) {
          answer(random, shares, underWay.remove(), had);
        }
      }
      assertThat(underWay).as("seed %d", seed).isEmpty();
      assertThat(shares.hasMore()).as("seed %d", seed).isFalse();
      assertThat(had.nextClearBit(0)).as("seed %d", seed).isGreaterThanOrEqualTo(shares.end());
    }
  }

  private static void answer(Random random, PullShares shares, PullShares.Share share, BitSet had) {
    share.holder().ended(share.bytes());
    int came = random.nextInt(3) > 0 ? size(share) : random.nextInt(size(share));
    had.set(share.from(), share.from() + came);
    if (came < size(share)) {
      if (random.nextBoolean()) {
        share.holder().lacks(share.from() + came);
      } else {
        share.holder().giveUp();
      }
      shares.putBack(share.from() + came, share.to());
    }
  }
}

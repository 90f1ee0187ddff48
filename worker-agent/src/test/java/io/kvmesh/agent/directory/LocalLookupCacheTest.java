package io.kvmesh.agent.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LocalLookupCacheTest {

  private static final Keyspace KEYSPACE = Keyspace.parse("m@1@0@bfloat16");
  private static final Duration AGE = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final int MOST = 100;

  private final Counters<DirectoryCount> counters = new Counters<>(DirectoryCount.class);
  private final List<List<ChunkHash>> asked = new ArrayList<>();
  private LookupOutcome answer = new LookupOutcome.Miss();
  private long now = -5;
  private final LocalLookupCache cache =
      new LocalLookupCache(
          (keyspace, hashes, atMost) -> {
            asked.add(hashes);
            return answer;
          },
          MOST,
          AGE,
          counters,
          () -> now);

  private static List<ChunkHash> hashes(long from, long to) {
    return LongStream.range(from, to).mapToObj(ChunkHash::ofSigned).toList();
  }

  private static Holder holder(String name, int chunks, long epoch) {
    return new Holder(name, "LocalCPUBackend", chunks, name + ":1", epoch);
  }

  private static LookupOutcome found(Holder... holders) {
    return new LookupOutcome.Found(List.of(holders));
  }

  private static LookupOutcome remembered(Holder... holders) {
    return new LookupOutcome.Found(List.of(holders), true);
  }

  private LookupOutcome lookup(List<ChunkHash> hashes) throws InterruptedException {
    return cache.lookup(KEYSPACE, hashes, LONG);
  }

  @Test
  void sameQuestion_isAskedOnce() throws Exception {
    answer = found(holder("a", 4, 1), holder("b", 2, 1));

    assertThat(lookup(hashes(0, 4))).isEqualTo(answer);
    assertThat(lookup(hashes(0, 4))).isEqualTo(remembered(holder("a", 4, 1), holder("b", 2, 1)));

    assertThat(asked).hasSize(1);
    assertThat(counters.get(DirectoryCount.CACHE_MISS)).isEqualTo(1);
    assertThat(counters.get(DirectoryCount.CACHE_HIT)).isEqualTo(1);
  }

  @Test
  void partOfAQuestion_isAnswered() throws Exception {
    answer = found(holder("a", 4, 1), holder("b", 2, 1));
    lookup(hashes(0, 4));

    assertThat(lookup(hashes(0, 3))).isEqualTo(remembered(holder("a", 3, 1), holder("b", 2, 1)));
    assertThat(lookup(hashes(2, 4))).isEqualTo(remembered(holder("a", 2, 1)));
    assertThat(asked).hasSize(1);
  }

  @Test
  void questionThatEndsElsewhere_isAsked() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 4));

    lookup(hashes(0, 5));

    assertThat(asked).hasSize(2);
  }

  @Test
  void endOfAPrefix_isRepeatedToWhoAsksForTheChunkAtWhichItEnded() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 9));

    assertThat(lookup(hashes(0, 9))).isEqualTo(remembered(holder("a", 4, 1)));
    assertThat(asked).hasSize(1);
    List<ChunkHash> otherTail = new ArrayList<>(hashes(0, 4));
    otherTail.addAll(hashes(70, 75));
    lookup(otherTail);
    assertThat(asked).as("another continuation").hasSize(2);
  }

  @Test
  void miss_isNotRemembered() throws Exception {
    lookup(hashes(0, 4));
    answer = new LookupOutcome.TimedOut();
    assertThat(lookup(hashes(0, 4))).isEqualTo(answer);
    answer = found(holder("a", 4, 1));
    assertThat(lookup(hashes(0, 4))).isEqualTo(answer);
    assertThat(asked).hasSize(3);
  }

  @Test
  void answer_diesOfAge() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 4));
    now += AGE.toNanos();
    lookup(hashes(0, 4));
    assertThat(asked).hasSize(1);

    now++;
    answer = found(holder("b", 4, 1));

    assertThat(lookup(hashes(0, 4))).isEqualTo(answer);
    assertThat(counters.get(DirectoryCount.CACHE_STALE)).isEqualTo(1);
  }

  @Test
  void longerPrefix_isSeenAfterTheAgeAtTheLatest() throws Exception {
    answer = found(holder("a", 2, 1));
    lookup(hashes(0, 4));
    answer = found(holder("a", 4, 1));

    int best = 0;
    for (int i = 0; i < 5 && best < 4; i++) {
      best = ((LookupOutcome.Found) lookup(hashes(0, 4))).holders().getFirst().chunks();
      now += AGE.toNanos() / 2 + 1;
    }

    assertThat(best).as("asking does not keep the old answer young").isEqualTo(4);
  }

  @Test
  void answer_diesWithItsHoldersLife() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 4));
    answer = found(holder("a", 1, 2));
    lookup(hashes(50, 51));

    answer = found(holder("b", 4, 1));
    assertThat(lookup(hashes(0, 4))).isEqualTo(answer);
    assertThat(counters.get(DirectoryCount.CACHE_STALE)).isEqualTo(1);
  }

  @Test
  void otherHolders_surviveTheEndOfOne() throws Exception {
    answer = found(holder("a", 4, 1), holder("b", 4, 1));
    lookup(hashes(0, 4));
    answer = found(holder("a", 1, 2));
    lookup(hashes(50, 51));

    assertThat(lookup(hashes(0, 4))).isEqualTo(remembered(holder("b", 4, 1)));
  }

  @Test
  void whatIsForgotten_isAskedAgain() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 4));

    cache.forget(KEYSPACE, hashes(0, 9));
    lookup(hashes(0, 4));

    assertThat(asked).hasSize(2);
  }

  @Test
  void otherKeyspace_isAnotherChunk() throws Exception {
    answer = found(holder("a", 4, 1));
    lookup(hashes(0, 4));

    cache.lookup(Keyspace.parse("m@1@0@half"), hashes(0, 4), LONG);

    assertThat(asked).hasSize(2);
  }

  @Test
  void eldest_giveWay() throws Exception {
    answer = found(holder("a", 60, 1));
    lookup(hashes(0, 60));
    lookup(hashes(100, 160));

    assertThat(cache.chunks()).isEqualTo(MOST);
    assertThat(lookup(hashes(100, 160))).isEqualTo(remembered(holder("a", 60, 1)));
    lookup(hashes(0, 60));
    assertThat(asked).hasSize(3);
  }

  @Test
  void withoutAge_everyQuestionIsAsked() throws Exception {
    answer = found(holder("a", 4, 1));
    LocalLookupCache off =
        new LocalLookupCache(
            (keyspace, hashes, atMost) -> answer, MOST, Duration.ZERO, counters, () -> now);

    assertThat(off.lookup(KEYSPACE, hashes(0, 4), LONG)).isEqualTo(answer);
    assertThat(off.lookup(KEYSPACE, hashes(0, 4), LONG)).isEqualTo(answer);
    assertThat(off.chunks()).isZero();
    assertThat(counters.get(DirectoryCount.CACHE_MISS)).isZero();
  }

  /**
   * Over random fleets that never change, what is remembered is what the controller would say, as
   * far as it goes: the best prefix is as long, and each holder named has the chunks named.
   */
  @Test
  void whatIsRemembered_isWhatTheControllerWouldSay() throws Exception {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Map<String, List<ChunkHash>> fleet = new HashMap<>();
      for (String name : List.of("a", "b", "c")) {
        fleet.put(name, hashes(0, 12).stream().filter(it -> random.nextInt(4) > 0).toList());
      }
      LocalLookupCache remembering =
          new LocalLookupCache(
              (keyspace, question, atMost) -> told(fleet, question), 8, AGE, counters, () -> now);
      for (int i = 0; i < 60; i++) {
        long from = random.nextInt(12);
        List<ChunkHash> question = hashes(from, from + 1 + random.nextInt(12));
        assertThat(remembering.chunks()).isLessThanOrEqualTo(8);
        LookupOutcome outcome = remembering.lookup(KEYSPACE, question, LONG);
        assertSame(fleet, question, outcome, seed);
        now += random.nextInt((int) (AGE.toNanos() / 4));
      }
    }
  }

  private static LookupOutcome told(Map<String, List<ChunkHash>> fleet, List<ChunkHash> question) {
    List<Holder> holders =
        fleet.entrySet().stream()
            .map(it -> holder(it.getKey(), prefix(it.getValue(), question), 1))
            .filter(it -> it.chunks() > 0)
            .sorted(Comparator.comparingInt(it -> -it.chunks()))
            .toList();
    return holders.isEmpty() ? new LookupOutcome.Miss() : new LookupOutcome.Found(holders);
  }

  private static int prefix(List<ChunkHash> held, List<ChunkHash> question) {
    int length = 0;
    while (length < question.size() && held.contains(question.get(length))) {
      length++;
    }
    return length;
  }

  private static void assertSame(
      Map<String, List<ChunkHash>> fleet,
      List<ChunkHash> question,
      LookupOutcome outcome,
      long seed) {
    LookupOutcome now = told(fleet, question);
    assertThat(outcome.label()).isEqualTo(now.label());
    if (outcome instanceof LookupOutcome.Found found && now instanceof LookupOutcome.Found right) {
      assertThat(found.holders().getFirst().chunks())
          .as("seed %d, %s", seed, question)
          .isEqualTo(right.holders().getFirst().chunks());
      for (Holder holder : found.holders()) {
        assertThat(holder.chunks())
            .as("seed %d, %s of %s", seed, holder, question)
            .isLessThanOrEqualTo(
                prefix(fleet.getOrDefault(holder.instanceId(), List.of()), question));
      }
    }
  }
}

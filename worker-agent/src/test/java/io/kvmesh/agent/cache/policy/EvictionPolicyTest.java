package io.kvmesh.agent.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.key.PlacementDigest;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each policy against a model that scans a list. */
class EvictionPolicyTest {

  private static final int MILLION = 1_000_000;

  @ParameterizedTest
  @EnumSource
  void aMillionOperations_smallPool_sameVictimsAsTheModel(PolicyName name) {
    new Run(name, 7, 11).operations(MILLION);
  }

  @ParameterizedTest
  @EnumSource
  void manyHeldSlots_sameVictimsAsTheModel(PolicyName name) {
    for (long seed = 1; seed <= 20; seed++) {
      new Run(name, 100, seed).operations(5_000);
    }
  }

  @Test
  void lfu_countsBeyondTheChains_keepTheirOrder() {
    EvictionPolicy policy = PolicyName.LFU.create(4);
    for (int slot = 0; slot < 4; slot++) {
      policy.added(slot, mix(slot));
      for (int use = 0; use < RankedSlots.CHAINS + 10 - slot; use++) {
        policy.used(slot);
      }
    }
    policy.used(3);
    // Counts above the chains: slot 2 and 3 are equal, 2 reached the count first.
    assertThat(order(policy)).containsExactly(2, 3, 1, 0);
  }

  @ParameterizedTest
  @EnumSource
  void victim_heldSlots_areAskedForOnceUntilRestored(PolicyName name) {
    int slots = 1_000;
    EvictionPolicy policy = name.create(slots);
    for (int slot = 0; slot < slots; slot++) {
      policy.added(slot, mix(slot));
    }
    int[] asked = new int[1];
    for (int round = 0; round < 100; round++) {
      int victim =
          policy.victim(
              slot -> {
                asked[0]++;
                return false;
              });
      assertThat(victim).isEqualTo(-1);
    }
    assertThat(asked[0]).isEqualTo(slots);
    policy.restored(500);
    policy.restored(400);
    int first = name == PolicyName.MRU ? 500 : 400;
    assertThat(policy.victim(slot -> true)).isEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource
  void slotsThatItDoesNotOrder_changeNoVictim(PolicyName name) {
    int size = 200;
    EvictionPolicy exact = name.create(size);
    EvictionPolicy roomy = name.create(3 * size, size);
    for (int slot = 0; slot < size; slot++) {
      exact.added(slot, mix(slot));
      roomy.added(slot, mix(slot));
    }
    Random random = new Random(13);
    for (int i = 0; i < 20_000; i++) {
      int used = random.nextInt(size);
      exact.used(used);
      roomy.used(used);
      int victim = exact.victim(slot -> true);
      assertThat(roomy.victim(slot -> true)).as("round %d", i).isEqualTo(victim);
      long keyHash = mix(random.nextInt(3 * size));
      exact.removed(victim);
      roomy.removed(victim);
      exact.added(victim, keyHash);
      roomy.added(victim, keyHash);
    }
  }

  @Test
  void parse_anyCase_andTellsTheChoice() {
    assertThat(PolicyName.parse("lfu")).isEqualTo(PolicyName.LFU);
    assertThat(PolicyName.parse("MRU")).isEqualTo(PolicyName.MRU);
    assertThatThrownBy(() -> PolicyName.parse("arc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'arc'")
        .hasMessageContaining("[lru, fifo, lfu, mru, s3fifo, adaptive]");
  }

  @ParameterizedTest
  @EnumSource
  void tierAndPosition_tellTheOrderOfTheVictims(PolicyName name) {
    int slots = 50;
    EvictionPolicy policy = name.create(slots);
    Random random = new Random(5);
    for (int slot = 0; slot < slots; slot++) {
      policy.added(slot, mix(slot));
    }
    for (int i = 0; i < 200 && (name != PolicyName.S3FIFO && name != PolicyName.ADAPTIVE); i++) {
      policy.used(random.nextInt(slots));
    }
    List<Integer> told =
        IntStream.range(0, slots)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingInt(policy::tier).thenComparingLong(policy::position))
            .toList();
    assertThat(order(policy)).isEqualTo(told);
  }

  @ParameterizedTest
  @EnumSource
  void operations_allocateNothing(PolicyName name) {
    int slots = 2_000;
    EvictionPolicy policy = name.create(slots);
    Random random = new Random(9);
    IntPredicate any = slot -> true;
    for (int slot = 0; slot < slots; slot++) {
      policy.added(slot, mix(slot));
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < MILLION; i++) {
      policy.used(random.nextInt(slots));
      int victim = policy.victim(any);
      policy.removed(victim);
      policy.added(victim, mix(random.nextInt(4 * slots)));
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MILLION);
  }

  private static List<Integer> order(EvictionPolicy policy) {
    List<Integer> order = new ArrayList<>();
    for (int victim = policy.victim(slot -> true); victim >= 0; victim = policy.victim(s -> true)) {
      order.add(victim);
      policy.removed(victim);
    }
    return order;
  }

  /** As the hashes of keys are in a cache. */
  static long mix(long key) {
    return PlacementDigest.mix(0, key);
  }

  /** One policy beside its model, through random operations. */
  private static final class Run {

    private final PolicyName name;
    private final int slots;
    private final long seed;
    private final Random random;
    private final EvictionPolicy policy;
    private final PolicyModel model;
    private final BitSet resident = new BitSet();
    private final BitSet held = new BitSet();
    private final BitSet setAside = new BitSet();

    Run(PolicyName name, int slots, long seed) {
      this.name = name;
      this.slots = slots;
      this.seed = seed;
      this.random = new Random(seed);
      this.policy = name.create(slots);
      this.model = PolicyModel.of(name, slots);
    }

    void operations(int operations) {
      for (int step = 0; step < operations; step++) {
        int slot = random.nextInt(slots);
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> add(slot, step);
          case 3, 4, 5 -> use(slot);
          case 6 -> remove(slot);
          case 7 -> held.set(slot, resident.get(slot));
          case 8 -> letGo(slot);
          default -> evict(step);
        }
      }
    }

    private void add(int slot, int step) {
      if (resident.cardinality() == slots) {
        evict(step);
      } else if (!resident.get(slot)) {
        long keyHash = mix(random.nextInt(4 * slots));
        policy.added(slot, keyHash);
        model.added(slot, keyHash);
        resident.set(slot);
      }
    }

    private void use(int slot) {
      if (resident.get(slot)) {
        policy.used(slot);
        model.used(slot);
      }
    }

    private void remove(int slot) {
      if (resident.get(slot)) {
        policy.removed(slot);
        model.removed(slot);
        resident.clear(slot);
        held.clear(slot);
        setAside.clear(slot);
      }
    }

    private void letGo(int slot) {
      held.clear(slot);
      if (setAside.get(slot)) {
        setAside.clear(slot);
        policy.restored(slot);
        model.restored(slot);
      }
    }

    private void evict(int step) {
      int victim = policy.victim(this::mayGo);
      assertThat(victim)
          .as("%s seed %d step %d", name, seed, step)
          .isEqualTo(model.victim(held::get));
      if (victim >= 0) {
        remove(victim);
      }
    }

    private boolean mayGo(int slot) {
      assertThat(resident.get(slot)).isTrue();
      setAside.set(slot, held.get(slot));
      return !held.get(slot);
    }
  }
}

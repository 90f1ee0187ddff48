package io.kvmesh.agent.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
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
      policy.added(slot, slot);
      for (int use = 0; use < RankedSlots.CHAINS + 10 - slot; use++) {
        policy.used(slot);
      }
    }
    policy.used(3);
    // Counts above the chains: slot 2 and 3 are equal, 2 reached the count first.
    List<Integer> order = new ArrayList<>();
    for (int victim = policy.victim(slot -> true); victim >= 0; victim = policy.victim(s -> true)) {
      order.add(victim);
      policy.removed(victim);
    }
    assertThat(order).containsExactly(2, 3, 1, 0);
  }

  @ParameterizedTest
  @EnumSource
  void victim_heldSlots_areAskedForOnceUntilRestored(PolicyName name) {
    int slots = 1_000;
    EvictionPolicy policy = name.create(slots);
    for (int slot = 0; slot < slots; slot++) {
      policy.added(slot, slot);
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

  @Test
  void parse_anyCase_andTellsTheChoice() {
    assertThat(PolicyName.parse("lfu")).isEqualTo(PolicyName.LFU);
    assertThat(PolicyName.parse("MRU")).isEqualTo(PolicyName.MRU);
    assertThatThrownBy(() -> PolicyName.parse("arc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'arc'")
        .hasMessageContaining("[lru, fifo, lfu, mru]");
  }

  /** One policy beside its model, through random operations. */
  private static final class Run {

    private final PolicyName name;
    private final int slots;
    private final long seed;
    private final Random random;
    private final EvictionPolicy policy;
    private final BitSet resident = new BitSet();
    private final BitSet held = new BitSet();
    private final BitSet setAside = new BitSet();
    private final long[] stamp;
    private final long[] count;
    private long now;

    Run(PolicyName name, int slots, long seed) {
      this.name = name;
      this.slots = slots;
      this.seed = seed;
      this.random = new Random(seed);
      this.policy = name.create(slots);
      this.stamp = new long[slots];
      this.count = new long[slots];
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
        policy.added(slot, slot * 31L);
        resident.set(slot);
        count[slot] = 1;
        stamp[slot] = ++now;
      }
    }

    private void use(int slot) {
      if (resident.get(slot)) {
        policy.used(slot);
        count[slot]++;
        stamp[slot] = name == PolicyName.FIFO ? stamp[slot] : ++now;
      }
    }

    private void remove(int slot) {
      if (resident.get(slot)) {
        policy.removed(slot);
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
      }
    }

    private void evict(int step) {
      int victim = policy.victim(this::mayGo);
      assertThat(victim).as("%s seed %d step %d", name, seed, step).isEqualTo(expected());
      if (victim >= 0) {
        remove(victim);
      }
    }

    private boolean mayGo(int slot) {
      assertThat(resident.get(slot)).isTrue();
      setAside.set(slot, held.get(slot));
      return !held.get(slot);
    }

    private int expected() {
      int best = -1;
      for (int slot = resident.nextSetBit(0); slot >= 0; slot = resident.nextSetBit(slot + 1)) {
        if (!held.get(slot) && (best < 0 || before(slot, best))) {
          best = slot;
        }
      }
      return best;
    }

    private boolean before(int slot, int other) {
      return switch (name) {
        case LRU, FIFO -> stamp[slot] < stamp[other];
        case MRU -> stamp[slot] > stamp[other];
        case LFU ->
            count[slot] != count[other] ? count[slot] < count[other] : stamp[slot] < stamp[other];
      };
    }
  }
}

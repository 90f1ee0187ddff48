package io.kvmesh.agent.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashedSlotsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64, 384})
  void randomOperations_asAMap(int slots) {
    Random random = new Random(slots);
    HashedSlots hashed = new HashedSlots(slots);
    Map<Long, Integer> model = new HashMap<>();
    for (int step = 0; step < 100_000; step++) {
      // Few homes, so that chains run into each other.
      long hash = ((long) random.nextInt(slots) << Integer.SIZE) | random.nextInt(3);
      Integer slot = model.get(hash);
      assertThat(hashed.find(hash)).isEqualTo(slot == null ? HashedSlots.NOT_FOUND : slot);
      assertThat(hashed.isFull()).isEqualTo(model.size() == slots);
      if (slot != null) {
        hashed.remove(slot);
        model.remove(hash);
      } else if (!hashed.isFull()) {
        int given = hashed.add(hash);
        assertThat(given).isBetween(0, slots - 1);
        assertThat(model.values()).doesNotContain(given);
        model.put(hash, given);
      }
    }
  }
}

package io.kvmesh.agent.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GhostTableTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100, 3_000, 49_152, 300_000})
  void remove_amongTheLastOnes_isRememberedOnce(int capacity) {
    GhostTable ghosts = new GhostTable(capacity);
    int added = 3 * capacity;
    for (int key = 0; key < added; key++) {
      ghosts.add(hash(key));
    }
    int remembered = 0;
    int twice = 0;
    for (int key = added - capacity; key < added; key++) {
      remembered += ghosts.remove(hash(key)) ? 1 : 0;
      twice += ghosts.remove(hash(key)) ? 1 : 0;
    }
    assertThat(twice).isLessThanOrEqualTo(capacity / 1_000);
    assertThat(remembered).isGreaterThanOrEqualTo(capacity - capacity / 1_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100, 3_000, 49_152, 300_000})
  void remove_oldOrForeign_isUnknown(int capacity) {
    GhostTable ghosts = new GhostTable(capacity);
    for (int key = 0; key < 20 * capacity; key++) {
      ghosts.add(hash(key));
    }
    int wrong = 0;
    int slack = capacity / 1_000 + 2;
    for (int key = 0; key < 19 * capacity - slack; key++) {
      wrong += ghosts.remove(hash(key)) ? 1 : 0;
      wrong += ghosts.remove(hash(-1 - key)) ? 1 : 0;
    }
    assertThat(wrong).isLessThanOrEqualTo(38 * capacity / 2_000);
  }

  private static long hash(long key) {
    return EvictionPolicyTest.mix(key);
  }
}

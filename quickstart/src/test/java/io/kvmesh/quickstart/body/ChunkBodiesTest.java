package io.kvmesh.quickstart.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkBodiesTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 100, 65_536})
  void firstDifference_everyByteChanged_isFound(int bytes) {
    ChunkBodies bodies = new ChunkBodies(bytes);
    byte[] body = bodies.body(42);
    assertThat(bodies.firstDifference(42, body)).isEqualTo(-1);

    for (int i = 0; i < bytes; i += Math.max(1, bytes / 50)) {
      byte[] broken = body.clone();
      broken[i] ^= 0x10;
      assertThat(bodies.firstDifference(42, broken)).isEqualTo(i);
    }
  }

  @Test
  void firstDifference_otherLength_isFound() {
    ChunkBodies bodies = new ChunkBodies(100);

    assertThat(bodies.firstDifference(1, Arrays.copyOf(bodies.body(1), 99))).isEqualTo(99);
    assertThat(bodies.firstDifference(1, Arrays.copyOf(bodies.body(1), 101))).isEqualTo(100);
  }

  @Test
  void body_neighbouringKeys_differEverywhere() {
    ChunkBodies bodies = new ChunkBodies(4_096);
    byte[] one = bodies.body(1);
    byte[] two = bodies.body(2);

    int equal = 0;
    for (int i = 0; i < one.length; i++) {
      equal += one[i] == two[i] ? 1 : 0;
    }
    assertThat(equal).isLessThan(64);
  }
}

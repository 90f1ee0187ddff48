package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MismatchesTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final WorkerId B = new WorkerId("B", 0);
  private static final WorkerId C = new WorkerId("C", 0);

  @Test
  void oddOne_isComparedWithTheMany() {
    var workers =
        List.of(live(A, 1, agent("a", "9")), live(B, 2, agent("b")), live(C, 3, agent("c")));

    assertThat(Mismatches.among(workers))
        .isEqualTo(Map.of(A, new Mismatch(B, List.of("hashSeed"))));
  }

  @Test
  void equallyMany_theFirstRegisteredIsRight() {
    var workers = List.of(live(A, 1, agent("a", "9")), live(B, 2, agent("b")));

    assertThat(Mismatches.among(workers))
        .isEqualTo(Map.of(B, new Mismatch(A, List.of("hashSeed"))));
  }

  @Test
  void foreignUnknownAndAlone_areNoMismatch() {
    var workers = List.of(live(A, 1, agent("a")), live(B, 2, foreign("b")), live(C, 3, null));

    assertThat(Mismatches.among(workers)).isEmpty();
  }
}

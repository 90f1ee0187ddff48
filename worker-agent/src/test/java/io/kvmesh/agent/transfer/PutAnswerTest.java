package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PutAnswerTest {

  private static Duration held(@Nullable Long millis) {
    PutAnswer answer =
        PutAnswer.of(new BatchedLookupAndPutRetMsg(1, 7L, List.of(PutOutcome.READ), millis), 1, 7);
    return ((PutAnswer.Receipt) answer).held();
  }

  @Test
  void timeForWhichAPeerHolds_canAlwaysBeReckonedWith() {
    assertThat(held(null)).isZero();
    assertThat(held(-5L)).isZero();
    assertThat(held(300L)).isEqualTo(Duration.ofMillis(300));
    assertThat(held(Long.MAX_VALUE)).isEqualTo(Duration.ofDays(1));
  }
}

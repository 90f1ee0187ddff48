package io.kvmesh.quickstart.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyRecorderTest {

  @Test
  void summary_nothingRecorded_isZero() {
    assertThat(new LatencyRecorder().summary()).isEqualTo(new Latency(0, 0, 0));
  }

  @Test
  void summary_oneSample_isThatSample() {
    LatencyRecorder recorder = new LatencyRecorder();
    recorder.record(7);

    assertThat(recorder.summary()).isEqualTo(new Latency(1, 7, 7));
  }

  @Test
  void summary_manySamples_givesNearestRank() {
    LatencyRecorder recorder = new LatencyRecorder();
    for (int i = 2_000; i >= 1; i--) {
      recorder.record(i);
    }

    assertThat(recorder.summary()).isEqualTo(new Latency(2_000, 1_000, 1_980));
  }
}

package io.kvmesh.common.zmq;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SilenceTest {

  /** The clock overflows in the middle of it all. */
  private static final long START = Long.MAX_VALUE - 120;

  private final Silence silence = new Silence(START);

  private long waited(long since, long until) {
    return silence.waited(START + since, START + until);
  }

  @Test
  void waits_addUpAndPausesDoNot() {
    assertThat(waited(0, 50)).isEqualTo(50);
    assertThat(waited(1000, 1050)).isEqualTo(100);
  }

  @Test
  void waitsAtTheSameTime_countOnce() {
    assertThat(waited(0, 50)).isEqualTo(50);
    assertThat(waited(10, 60)).isEqualTo(60);
    assertThat(waited(20, 60)).isEqualTo(60);
  }

  @Test
  void waitThatBeganFirstAndEndsLast_countsAsAWhole() {
    assertThat(waited(30, 40)).isEqualTo(10);
    assertThat(waited(0, 100)).isEqualTo(100);
  }

  @Test
  void word_endsIt() {
    assertThat(waited(0, 50)).isEqualTo(50);
    silence.heard(START + 60);
    assertThat(waited(40, 70)).as("only what comes after the word").isEqualTo(10);
  }
}

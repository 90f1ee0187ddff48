package io.kvmesh.quickstart.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

  private static final long SECOND = 1_000_000_000;

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

  @Test
  void show_noTerminal_writesNothing() {
    ProgressBar bar = new ProgressBar(out, false, "Replaying", 10);

    bar.show(5, "note", 0);
    bar.clear();

    assertThat(written.size()).isZero();
  }

  @Test
  void show_terminal_drawsShareAndNote() {
    ProgressBar bar = new ProgressBar(out, true, "Replaying", 4);

    bar.show(1, "3 local", 0);

    assertThat(written.toString(StandardCharsets.UTF_8))
        .startsWith("\rReplaying [##########..............................] 1/4  3 local");
  }

  @Test
  void show_often_drawsNowAndThenAndAtTheEnd() {
    ProgressBar bar = new ProgressBar(out, true, "R", 1_000);

    for (int done = 1; done <= 1_000; done++) {
      bar.show(done, "", done * SECOND / 1_000);
    }

    long drawn = written.toString(StandardCharsets.UTF_8).chars().filter(c -> c == '\r').count();
    assertThat(drawn).isBetween(10L, 12L);
    assertThat(written.toString(StandardCharsets.UTF_8)).contains("1000/1000");
  }
}

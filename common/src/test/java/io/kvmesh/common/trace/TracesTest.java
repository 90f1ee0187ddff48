package io.kvmesh.common.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class TracesTest {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Traces off = Traces.off();

  @Test
  void traceThatIsOff_tellsNobodyAndAllocatesNothing() {
    work();
    work();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    work();
    assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isZero();
  }

  private void work() {
    for (int i = 0; i < 100; i++) {
      try (Traced span = off.begin("work")) {
        span.tag(Traces.CHUNKS_ASKED, i);
        if (span.isOn()) {
          throw new IllegalStateException("There is a span");
        }
      }
    }
  }
}

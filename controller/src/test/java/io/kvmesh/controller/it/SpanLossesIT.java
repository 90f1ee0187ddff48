package io.kvmesh.controller.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.controller.ControllerApplication;
import io.kvmesh.embedded.RefusingCollector;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.tracing.Tracer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** Spans for a collector that refuses them, or is too slow. */
@Timeout(120)
class SpanLossesIT {

  private static final Duration SEEN = Duration.ofSeconds(60);
  private static final int SPANS = 40;
  private static final int QUEUE = 8;

  private static ConfigurableApplicationContext program(RefusingCollector collector, int queue) {
    return ControllerApplication.start(
        "--server.port=0",
        "--server.address=127.0.0.1",
        "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
        "--kvmesh.zmq.pull-bind=tcp://127.0.0.1:0",
        "--kvmesh.zmq.reply-bind=tcp://127.0.0.1:0",
        "--kvmesh.zmq.heartbeat-bind=tcp://127.0.0.1:0",
        "--management.opentelemetry.enabled=true",
        "--management.opentelemetry.tracing.export.otlp.endpoint=" + collector.endpoint(),
        "--management.opentelemetry.tracing.export.max-queue-size=" + queue,
        "--management.opentelemetry.tracing.export.max-batch-size=" + QUEUE,
        "--management.opentelemetry.tracing.export.schedule-delay=50ms",
        "--management.tracing.sampling.probability=1.0");
  }

  private static void makeSpans(ConfigurableApplicationContext program) {
    Tracer tracer = program.getBean(Tracer.class);
    for (int i = 0; i < SPANS; i++) {
      tracer.nextSpan().name("span").start().end();
    }
  }

  private static double lost(ConfigurableApplicationContext program, String reason) {
    return program
        .getBean(MeterRegistry.class)
        .get("kvmesh.controller.trace.spans.lost")
        .tag("reason", reason)
        .functionCounter()
        .count();
  }

  @Test
  void spansThatACollectorRefuses_areCounted() throws IOException {
    try (RefusingCollector collector = RefusingCollector.start();
        ConfigurableApplicationContext program = program(collector, 10 * SPANS)) {
      assertThat(lost(program, "not_sent")).isZero();

      makeSpans(program);

      await().atMost(SEEN).until(() -> lost(program, "not_sent") >= SPANS);
      assertThat(lost(program, "queue_full")).isZero();
    }
  }

  @Test
  void spansThatFindNoRoom_areCounted() throws IOException {
    try (RefusingCollector collector = RefusingCollector.startSilent();
        ConfigurableApplicationContext program = program(collector, QUEUE)) {
      makeSpans(program);

      // Those in the queue, and those on their way.
      await().atMost(SEEN).until(() -> lost(program, "queue_full") >= SPANS - 2 * QUEUE);
      assertThat(lost(program, "not_sent")).isZero();
      collector.letGo();
    }
  }
}

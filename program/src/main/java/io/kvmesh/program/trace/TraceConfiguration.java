package io.kvmesh.program.trace;

import io.kvmesh.common.trace.Traces;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.metrics.MeterProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Traces: off, and then at no cost, unless {@code management.opentelemetry.enabled}. The program
 * has the {@link SpanLosses}, which bear its name.
 */
@Configuration(proxyBeanMethods = false)
public class TraceConfiguration {

  /** In place of one that would make spans with ids of zeros. */
  @Bean
  @ConditionalOnBooleanProperty(name = "management.opentelemetry.enabled", havingValue = false)
  Tracer noTracer() {
    return Tracer.NOOP;
  }

  @Bean
  Traces traces(Tracer tracer) {
    return new Traces(tracer);
  }

  /** The exporter counts there. */
  @Bean
  MeterProvider exporterCounts(SpanLosses losses) {
    return losses.source();
  }
}

package io.kvmesh.agent.config;

import io.kvmesh.common.trace.SpanLosses;
import io.kvmesh.common.trace.Traces;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.metrics.MeterProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Traces: off, and then at no cost, unless {@code management.opentelemetry.enabled}. */
@Configuration(proxyBeanMethods = false)
class TraceConfiguration {

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

  @Bean
  SpanLosses spanLosses() {
    return new SpanLosses("kvmesh.agent.trace.spans.lost");
  }

  /** The exporter counts there. */
  @Bean
  MeterProvider exporterCounts(SpanLosses losses) {
    return losses.source();
  }
}

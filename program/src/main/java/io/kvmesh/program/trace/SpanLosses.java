package io.kvmesh.program.trace;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.util.Locale;

/**
 * Spans that were kept and never got to a collector, as OpenTelemetry's exporter counts them
 * itself. Any thread.
 */
public final class SpanLosses implements MeterBinder {

  /** Why, and the counter of OpenTelemetry's that knows. */
  private enum Reason {
    QUEUE_FULL("processedSpans", "dropped", true),
    NOT_SENT("otlp.exporter.exported", "success", false);

    private final String counter;
    private final String key;
    private final boolean value;

    Reason(String counter, String key, boolean value) {
      this.counter = counter;
      this.key = key;
      this.value = value;
    }

    private boolean isOf(LongPointData point) {
      return Boolean.valueOf(value).equals(point.getAttributes().get(AttributeKey.booleanKey(key)));
    }
  }

  private final Reader reader = new Reader();
  private final SdkMeterProvider source =
      SdkMeterProvider.builder().registerMetricReader(reader).build();
  private final String metric;

  /**
   * Of one program.
   *
   * @param metric in which they are told, such as {@code kvmesh.agent.trace.spans.lost}
   */
  public SpanLosses(String metric) {
    this.metric = metric;
  }

  /** Whom the exporter must give its counts. */
  public MeterProvider source() {
    return source;
  }

  @Override
  public void bindTo(MeterRegistry meters) {
    for (Reason reason : Reason.values()) {
      FunctionCounter.builder(metric, reader, it -> it.lost(reason))
          .description("Spans that never got to a collector, by reason")
          .tag("reason", reason.name().toLowerCase(Locale.ROOT))
          .register(meters);
    }
  }

  /** Reads OpenTelemetry's counters when it is asked. */
  private static final class Reader implements MetricReader {

    private volatile CollectionRegistration counters = CollectionRegistration.noop();

    long lost(Reason reason) {
      return counters.collectAllMetrics().stream()
          .filter(it -> it.getName().equals(reason.counter))
          .flatMap(it -> it.getLongSumData().getPoints().stream())
          .filter(reason::isOf)
          .mapToLong(LongPointData::getValue)
          .sum();
    }

    @Override
    public void register(CollectionRegistration registration) {
      counters = registration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}

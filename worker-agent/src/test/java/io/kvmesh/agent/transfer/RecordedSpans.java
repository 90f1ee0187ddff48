package io.kvmesh.agent.transfer;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Makes real spans, and keeps those that have ended and are sampled. */
public final class RecordedSpans implements SpanExporter {

  private final Queue<SpanData> ended = new ConcurrentLinkedQueue<>();

  public Tracer tracer() {
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(this)).build();
    return new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {});
  }

  /** In the order of their ends. */
  public List<SpanData> ended() {
    return List.copyOf(ended);
  }

  /** The first of that name, once it has ended. */
  public SpanData await(String name) {
    Awaitility.await().until(() -> find(name).isPresent());
    return find(name).orElseThrow();
  }

  private Optional<SpanData> find(String name) {
    return ended.stream().filter(span -> span.getName().equals(name)).findFirst();
  }

  /** A text or a number; null = it has none of that name. */
  public static @Nullable Object attribute(SpanData span, String name) {
    Object text = span.getAttributes().get(AttributeKey.stringKey(name));
    return text == null ? span.getAttributes().get(AttributeKey.longKey(name)) : text;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    ended.addAll(spans);
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}

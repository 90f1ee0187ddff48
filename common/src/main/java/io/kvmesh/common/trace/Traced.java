package io.kvmesh.common.trace;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;

/**
 * The span of a piece of work, to be told about it. Tells nobody where tracing is off. Who began it
 * closes it, on the same thread.
 */
public final class Traced implements AutoCloseable {

  /** Of all work where tracing is off. */
  static final Traced OFF = new Traced(null, null);

  private final @Nullable Span span;
  private final Tracer.@Nullable SpanInScope scope;

  private Traced(@Nullable Span span, Tracer.@Nullable SpanInScope scope) {
    this.span = span;
    this.scope = scope;
  }

  /** Begins one that is its thread's current span until it is closed. */
  static Traced begin(Tracer tracer, Span.Builder builder) {
    Span span = builder.start();
    return new Traced(span, tracer.withSpan(span));
  }

  /** Whether anybody is told: what only a span needs to know need not be found out otherwise. */
  public boolean isOn() {
    return span != null;
  }

  /** Adds a word, one of a few. */
  public void tag(String name, String value) {
    if (span != null) {
      span.tag(name, value);
    }
  }

  /** Adds a number. */
  public void tag(String name, long value) {
    if (span != null) {
      span.tag(name, value);
    }
  }

  /** The work ends with this; an interrupt is no error. */
  public void failed(Throwable how) {
    if (span == null) {
      return;
    }
    if (how instanceof InterruptedException) {
      span.tag(Traces.OUTCOME, "interrupted");
    } else {
      span.error(how);
    }
  }

  /** The work is over. */
  @Override
  public void close() {
    if (scope != null) {
      scope.close();
    }
    if (span != null) {
      span.end();
    }
  }
}

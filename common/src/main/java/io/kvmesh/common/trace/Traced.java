package io.kvmesh.common.trace;

import io.micrometer.tracing.Span;
import org.jspecify.annotations.Nullable;

/** The span of a piece of work, to be told about it. Tells nobody where tracing is off. */
public final class Traced {

  private final @Nullable Span span;

  Traced(@Nullable Span span) {
    this.span = span;
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
}

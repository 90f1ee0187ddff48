package io.kvmesh.common.trace;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Puts spans around what a program does. The span of a piece of work is its thread's current one
 * while it runs: what is begun within is its child, and what is logged within has its ids. Any
 * thread.
 *
 * <p>Its users need micrometer-tracing on their class path.
 */
public final class Traces {

  /** How a piece of work ended, in one word: on all spans that have one. */
  public static final String OUTCOME = "outcome";

  /** How many chunks were asked for. */
  public static final String CHUNKS_ASKED = "chunks.asked";

  /** How many came of it. */
  public static final String CHUNKS_FOUND = "chunks.found";

  /** How many of them were here. */
  public static final String CHUNKS_LOCAL = "chunks.local";

  /** How many of them are, or came from, elsewhere. */
  public static final String CHUNKS_PEER = "chunks.peer";

  /** A piece of work, which may tell its span about itself. */
  public interface Work<T, E extends Exception> {
    T run(Traced span) throws E, InterruptedException;
  }

  private final Tracer tracer;
  private final boolean on;

  /**
   * Assigns only.
   *
   * @param tracer makes the spans; {@link Tracer#NOOP} = there are none
   */
  public Traces(Tracer tracer) {
    this.tracer = tracer;
    this.on = !tracer.equals(Tracer.NOOP);
  }

  /** Makes no spans. */
  public static Traces off() {
    return new Traces(Tracer.NOOP);
  }

  /**
   * Does what another program asked for.
   *
   * @param parent as that program told it; null = a new trace begins, if the sampling wants one
   */
  public <T, E extends Exception> T serve(
      String name, @Nullable Traceparent parent, Work<T, E> work) throws E, InterruptedException {
    if (!on) {
      return work.run(Traced.OFF);
    }
    Span.Builder builder = server(name);
    return run(parent == null ? builder.setNoParent() : builder.setParent(context(parent)), work);
  }

  /**
   * Begins what another program asked for that can't tell its trace: a new one begins, if the
   * sampling wants one. The caller closes it, on this thread.
   */
  public Traced begin(String name) {
    return on ? Traced.begin(tracer, server(name).setNoParent()) : Traced.OFF;
  }

  private Span.Builder server(String name) {
    return tracer.spanBuilder().name(name).kind(Span.Kind.SERVER);
  }

  /** As above, where nothing is thrown that would have to be told. */
  public <T> T serveUninterrupted(
      String name, @Nullable Traceparent parent, Function<Traced, T> work) {
    try {
      Work<T, RuntimeException> same = work::apply;
      return serve(name, parent, same);
    } catch (InterruptedException e) {
      throw new IllegalStateException("A function threw a checked exception", e);
    }
  }

  /** Of work that isn't traced. */
  public Traced untraced() {
    return Traced.OFF;
  }

  private TraceContext context(Traceparent parent) {
    return tracer
        .traceContextBuilder()
        .traceId(parent.traceId())
        .spanId(parent.spanId())
        .sampled(parent.sampled())
        .build();
  }

  /** Asks another program for something, as a part of what this thread does. */
  public <T, E extends Exception> T ask(String name, Work<T, E> work)
      throws E, InterruptedException {
    return on
        ? run(tracer.spanBuilder().name(name).kind(Span.Kind.CLIENT), work)
        : work.run(Traced.OFF);
  }

  private <T, E extends Exception> T run(Span.Builder builder, Work<T, E> work)
      throws E, InterruptedException {
    try (Traced span = Traced.begin(tracer, builder)) {
      try {
        return work.run(span);
      } catch (Throwable e) {
        span.failed(e);
        throw e;
      }
    }
  }

  /** This thread's span, for another program that is asked for a part of it; null if none. */
  public @Nullable Traceparent current() {
    TraceContext context = on ? tracer.currentTraceContext().context() : null;
    return context == null
        ? null
        : new Traceparent(
            context.traceId(), context.spanId(), Boolean.TRUE.equals(context.sampled()));
  }
}

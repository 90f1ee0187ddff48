package io.kvmesh.agent.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;

/** Answers who isn't let in at the HTTP port, and counts them. Any thread. */
public final class AccessProblems
    implements AuthenticationEntryPoint, AccessDeniedHandler, MeterBinder {

  private final LongAdder unauthenticated = new LongAdder();
  private final LongAdder forbidden = new LongAdder();

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException why)
      throws IOException {
    unauthenticated.increment();
    response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    answer(
        response,
        HttpServletResponse.SC_UNAUTHORIZED,
        "needs a bearer token of kvmesh.access.tokens-file");
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException why)
      throws IOException {
    forbidden.increment();
    answer(response, HttpServletResponse.SC_FORBIDDEN, "needs a token of a higher role");
  }

  /** In the form of the endpoints' own errors. */
  private static void answer(HttpServletResponse response, int status, String error)
      throws IOException {
    response.setStatus(status);
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    response
        .getOutputStream()
        .write("{\"error\":\"%s\"}".formatted(error).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    refused(registry, "unauthenticated", unauthenticated);
    refused(registry, "forbidden", forbidden);
  }

  private static void refused(MeterRegistry registry, String reason, LongAdder count) {
    FunctionCounter.builder(Figures.PREFIX + "access.refused", count, LongAdder::sum)
        .description("HTTP requests that were not let in, by reason")
        .tag("reason", reason)
        .register(registry);
  }
}

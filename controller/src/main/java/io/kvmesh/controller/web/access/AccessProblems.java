package io.kvmesh.controller.web.access;

import io.kvmesh.controller.web.Problems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Answers who isn't let in, in the form of every other error, and counts them. Any thread. */
public final class AccessProblems
    implements AuthenticationEntryPoint, AccessDeniedHandler, AuthenticationFailureHandler {

  private final HandlerExceptionResolver errors;
  private final LongAdder unauthenticated = new LongAdder();
  private final LongAdder forbidden = new LongAdder();
  private final LongAdder unchecked = new LongAdder();

  public AccessProblems(HandlerExceptionResolver errors) {
    this.errors = errors;
  }

  /** Requests without a token, or with one that isn't good. */
  public long unauthenticated() {
    return unauthenticated.sum();
  }

  /** Requests whose token is good for less. */
  public long forbidden() {
    return forbidden.sum();
  }

  /** Requests whose token couldn't be checked, since the issuer's keys couldn't be had. */
  public long unchecked() {
    return unchecked.sum();
  }

  @Override
  public void commence(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException why) {
    unauthenticated.increment();
    response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    answer(request, response, HttpStatus.UNAUTHORIZED, "needs a bearer token that is good here");
  }

  @Override
  public void handle(
      HttpServletRequest request, HttpServletResponse response, AccessDeniedException why) {
    forbidden.increment();
    answer(
        request,
        response,
        HttpStatus.FORBIDDEN,
        "%s %s needs a token of a higher role"
            .formatted(request.getMethod(), request.getRequestURI()));
  }

  @Override
  public void onAuthenticationFailure(
      HttpServletRequest request, HttpServletResponse response, AuthenticationException why) {
    if (why instanceof AuthenticationServiceException) {
      unchecked.increment();
      answer(
          request,
          response,
          HttpStatus.SERVICE_UNAVAILABLE,
          "the token can't be checked now: " + why.getMessage());
    } else {
      commence(request, response, why);
    }
  }

  private void answer(
      HttpServletRequest request, HttpServletResponse response, HttpStatus status, String reason) {
    errors.resolveException(request, response, null, Problems.of(status, reason, Map.of()));
  }
}

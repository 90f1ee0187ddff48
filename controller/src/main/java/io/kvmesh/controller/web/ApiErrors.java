package io.kvmesh.controller.web;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.controller.index.ViewUnavailableException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;
import tools.jackson.core.JacksonException;

/**
 * The one exception handler: every error leaves as problem+json. What a client did wrong is a 4xx
 * that names field, value and rule; what is left is a fault of ours, logged with its trace and
 * answered without it.
 */
@RestControllerAdvice
public final class ApiErrors extends ResponseEntityExceptionHandler {

  private static final Logger LOG = LoggerFactory.getLogger(ApiErrors.class);

  private final LogLimit logLimit = new LogLimit(System::nanoTime);

  @ExceptionHandler
  @Nullable ResponseEntity<Object> bodyTooLarge(BodyTooLargeException e, WebRequest request) {
    return answer(e, tooLarge(e), request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> unavailable(ViewUnavailableException e, WebRequest request) {
    return answer(
        e,
        ProblemDetail.forStatusAndDetail(
            HttpStatus.SERVICE_UNAVAILABLE, "the view can't be asked now: " + e.getMessage()),
        request);
  }

  /** Tomcat can't decode what is behind the question mark. */
  @ExceptionHandler
  @Nullable ResponseEntity<Object> badQuery(InvalidParameterException e, WebRequest request) {
    return answer(
        e,
        ProblemDetail.forStatusAndDetail(
            HttpStatus.BAD_REQUEST, "the query isn't percent-encoded UTF-8"),
        request);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Object> unexpected(Exception e, WebRequest request) {
    if (DisconnectedClientHelper.isClientDisconnectedException(e)) {
      return null;
    }
    if (logLimit.permits()) {
      LOG.error("Request failed: {}", request.getDescription(false), e);
    }
    return answer(
        e,
        ProblemDetail.forStatusAndDetail(
            HttpStatus.INTERNAL_SERVER_ERROR, "the controller failed; its log says why"),
        request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException e,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    return answer(e, notReadable(e), request);
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleTypeMismatch(
      TypeMismatchException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    String field =
        e instanceof MethodArgumentTypeMismatchException argument
            ? argument.getName()
            : String.valueOf(e.getPropertyName());
    Class<?> type = e.getRequiredType();
    return answer(
        e,
        Problems.detail(HttpStatus.BAD_REQUEST, field, e.getValue(), JsonFaults.rule(type)),
        request);
  }

  private static ProblemDetail notReadable(HttpMessageNotReadableException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof BodyTooLargeException tooLarge) {
        return tooLarge(tooLarge);
      }
      if (cause instanceof JacksonException json
          && !(json.getCause() instanceof BodyTooLargeException)) {
        return JsonFaults.describe(json);
      }
    }
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.BAD_REQUEST, "the request needs a JSON body");
  }

  private static ProblemDetail tooLarge(BodyTooLargeException e) {
    return Problems.detail(
        HttpStatus.CONTENT_TOO_LARGE,
        "body",
        "...",
        "must have at most " + e.limitBytes() + " bytes");
  }

  /**
   * What the request's Accept says doesn't matter: the reason is told even if it makes no sense.
   */
  @Override
  protected ResponseEntity<Object> createResponseEntity(
      @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    HttpHeaders typed = new HttpHeaders(headers);
    typed.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    return new ResponseEntity<>(body, typed, status);
  }

  private @Nullable ResponseEntity<Object> answer(
      Exception e, ProblemDetail detail, WebRequest request) {
    return handleExceptionInternal(
        e, detail, new HttpHeaders(), HttpStatusCode.valueOf(detail.getStatus()), request);
  }
}

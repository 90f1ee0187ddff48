package io.kvmesh.controller.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** The errors that resources answer with, each naming the field, the value and the rule. */
public final class Problems {

  private static final int LONGEST_VALUE = 100;

  private Problems() {}

  public static ErrorResponseException badRequest(
      String field, @Nullable Object value, String rule) {
    return problem(HttpStatus.BAD_REQUEST, field, value, rule);
  }

  public static ErrorResponseException tooLarge(String field, long given, long limit) {
    return problem(
        HttpStatus.CONTENT_TOO_LARGE, field, given, "must have at most " + limit + " elements");
  }

  public static ErrorResponseException notFound(String field, Object value) {
    return problem(HttpStatus.NOT_FOUND, field, value, "is not known to this controller");
  }

  /** What was named is taken. */
  public static ErrorResponseException conflict(String field, Object value, String rule) {
    return problem(HttpStatus.CONFLICT, field, value, rule);
  }

  /** An error of a status and a reason, with what belongs to it. */
  public static ErrorResponseException of(
      HttpStatus status, String reason, Map<String, Object> properties) {
    ProblemDetail detail = ProblemDetail.forStatusAndDetail(status, reason);
    properties.forEach(detail::setProperty);
    return new ErrorResponseException(status, detail, null);
  }

  public static ErrorResponseException notReady() {
    return unavailable(
        "not_ready",
        "this controller has not yet read the log to its end; ask another or try again");
  }

  public static ErrorResponseException overloaded(String reason) {
    return unavailable("overloaded", reason);
  }

  private static ErrorResponseException unavailable(String code, String reason) {
    ProblemDetail detail = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, reason);
    detail.setProperty("code", code);
    return new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE, detail, null);
  }

  /** The body of an error about one field of a request. */
  static ProblemDetail detail(
      HttpStatus status, String field, @Nullable Object value, String rule) {
    String shown = shorten(value);
    ProblemDetail detail =
        ProblemDetail.forStatusAndDetail(status, "%s = %s: %s".formatted(field, shown, rule));
    detail.setProperty("field", field);
    detail.setProperty("value", shown);
    detail.setProperty("rule", rule);
    return detail;
  }

  private static ErrorResponseException problem(
      HttpStatus status, String field, @Nullable Object value, String rule) {
    return new ErrorResponseException(status, detail(status, field, value, rule), null);
  }

  private static String shorten(@Nullable Object value) {
    String text = String.valueOf(value);
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
  }
}

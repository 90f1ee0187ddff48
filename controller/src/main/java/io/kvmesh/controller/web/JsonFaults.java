package io.kvmesh.controller.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Says what is wrong with a JSON body in the words of the request, not of the library. */
final class JsonFaults {

  private JsonFaults() {}

  static ProblemDetail describe(JacksonException fault) {
    return switch (fault) {
      case UnrecognizedPropertyException e ->
          of(
              path(e),
              "...",
              "is not a field of this request; its fields are " + e.getKnownPropertyIds());
      case InvalidFormatException e -> of(path(e), e.getValue(), rule(e.getTargetType()));
      case InputCoercionException e -> of(path(e), "...", rule(e.getTargetType()));
      case MismatchedInputException e -> of(path(e), "...", rule(e.getTargetType()));
      default -> notJson(fault);
    };
  }

  /** What a value of this type must look like. */
  static String rule(@Nullable Class<?> type) {
    if (type == null) {
      return "has a value of the wrong type";
    }
    if (type == HashValue.class) {
      return HashValue.RULE;
    }
    if (List.class.isAssignableFrom(type)) {
      return "must be a list";
    }
    if (type.isRecord()) {
      return "must be an object";
    }
    return switch (type.getSimpleName()) {
      case "int", "Integer", "long", "Long" -> "must be a whole number in range";
      case "boolean", "Boolean" -> "must be true or false";
      case "String" -> "must be a string";
      default -> "has a value of the wrong type";
    };
  }

  private static ProblemDetail of(String field, @Nullable Object value, String rule) {
    return Problems.detail(HttpStatus.BAD_REQUEST, field, value, rule);
  }

  private static ProblemDetail notJson(JacksonException fault) {
    TokenStreamLocation at = fault.getLocation();
    String where =
        at == null ? "" : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr());
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.BAD_REQUEST, "the body is not the JSON that this request needs" + where);
  }

  private static String path(JacksonException fault) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : fault.getPath()) {
      if (step.getPropertyName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return path.isEmpty() ? "body" : path.toString();
  }
}

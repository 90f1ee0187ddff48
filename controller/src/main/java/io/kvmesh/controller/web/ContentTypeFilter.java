package io.kvmesh.controller.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Refuses a body whose type has a wildcard: Spring takes that for a fault of the program. */
public final class ContentTypeFilter extends OncePerRequestFilter {

  private final HandlerExceptionResolver errors;

  public ContentTypeFilter(HandlerExceptionResolver errors) {
    this.errors = errors;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    MediaType type = parse(request.getContentType());
    if (type != null && !type.isConcrete()) {
      errors.resolveException(
          request,
          response,
          null,
          new HttpMediaTypeNotSupportedException(type, List.of(MediaType.APPLICATION_JSON)));
      return;
    }
    chain.doFilter(request, response);
  }

  /** Null if there is none, or it is nonsense, which Spring answers well. */
  private static @Nullable MediaType parse(@Nullable String type) {
    try {
      return type == null || type.isEmpty() ? null : MediaType.parseMediaType(type);
    } catch (InvalidMediaTypeException e) {
      return null;
    }
  }
}

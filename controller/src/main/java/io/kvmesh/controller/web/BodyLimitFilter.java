package io.kvmesh.controller.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Refuses bodies over a limit: by the announced length before anything is read, and by counting
 * where none was announced.
 */
public final class BodyLimitFilter extends OncePerRequestFilter {

  private final long limitBytes;
  private final HandlerExceptionResolver errors;

  public BodyLimitFilter(long limitBytes, HandlerExceptionResolver errors) {
    this.limitBytes = limitBytes;
    this.errors = errors;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getContentLengthLong() > limitBytes) {
      errors.resolveException(request, response, null, new BodyTooLargeException(limitBytes));
      return;
    }
    chain.doFilter(new LimitedRequest(request, limitBytes), response);
  }

  private static final class LimitedRequest extends HttpServletRequestWrapper {

    private final long limitBytes;

    LimitedRequest(HttpServletRequest request, long limitBytes) {
      super(request);
      this.limitBytes = limitBytes;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new LimitedStream(super.getInputStream(), limitBytes);
    }
  }

  private static final class LimitedStream extends ServletInputStream {

    private final ServletInputStream body;
    private final long limitBytes;
    private long readBytes;

    LimitedStream(ServletInputStream body, long limitBytes) {
      this.body = body;
      this.limitBytes = limitBytes;
    }

    @Override
    public int read() throws IOException {
      int value = body.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = body.read(bytes, offset, length);
      count(Math.max(0, read));
      return read;
    }

    private void count(int bytes) throws BodyTooLargeException {
      readBytes += bytes;
      if (readBytes > limitBytes) {
        throw new BodyTooLargeException(limitBytes);
      }
    }

    @Override
    public boolean isFinished() {
      return body.isFinished();
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      body.setReadListener(listener);
    }
  }
}

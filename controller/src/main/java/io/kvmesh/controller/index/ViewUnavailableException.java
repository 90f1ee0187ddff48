package io.kvmesh.controller.index;

import org.jspecify.annotations.Nullable;

/** The view that was asked can't answer now. Never to be taken for a miss. */
public class ViewUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected ViewUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

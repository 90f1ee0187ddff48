package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** A command failed or is unknown. The code is absent from LMCache. */
public record ErrorMsg(String error, @Extension @Nullable String code) implements ControlReply {

  /** What the command says makes no sense. */
  public static final String BAD_REQUEST = "bad_request";

  /** There is nothing of the kind that it names. */
  public static final String NOT_FOUND = "not_found";

  /** Without extensions: as LMCache writes it. */
  public ErrorMsg(String error) {
    this(error, null);
  }
}

package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** A command failed or is unknown. */
public record ErrorMsg(String error, @Extension @Nullable String code) implements ControlReply {

  /** Without extensions: as LMCache writes it. */
  public ErrorMsg(String error) {
    this(error, null);
  }
}

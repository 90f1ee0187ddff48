package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** A request failed. The code is one of the constants, or absent from LMCache. */
public record ErrorMsg(String error, @Extension @Nullable String code) implements DirectoryReply {

  /** Without extensions: as LMCache writes it. */
  public ErrorMsg(String error) {
    this(error, null);
  }

  /** The view that serves lookups hasn't caught up: ask another controller. */
  public static final String NOT_READY = "not_ready";

  /** The request couldn't be decoded or makes no sense. */
  public static final String BAD_REQUEST = "bad_request";

  /** A valid message that this socket doesn't serve. */
  public static final String UNSUPPORTED = "unsupported";
}

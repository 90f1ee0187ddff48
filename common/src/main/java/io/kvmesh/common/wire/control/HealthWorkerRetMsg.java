package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * 0 is good.
 *
 * @param certificates that the worker works with, at most {@link #MOST_CERTIFICATES}; null if it
 *     has none or doesn't tell
 */
public record HealthWorkerRetMsg(
    int errorCode, @Extension @Nullable List<WorkerCertificate> certificates)
    implements ControlReply {

  /** More are not told. */
  public static final int MOST_CERTIFICATES = 32;

  /** Copies the collection. */
  public HealthWorkerRetMsg {
    certificates = certificates == null ? null : List.copyOf(certificates);
  }

  /** Without extensions. */
  public HealthWorkerRetMsg(int errorCode) {
    this(errorCode, null);
  }
}

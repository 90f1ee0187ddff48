package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;

/**
 * Time on the log where nobody else writes, so that silence can be measured between its timestamps.
 */
public record Tick(
    @FormatNumber int format,
    @DefaultValue String instanceId,
    @DefaultValue("0") int workerId,
    @DefaultValue("0") long epoch)
    implements LogEvent {

  /** In the current format. */
  public Tick() {
    this(Formats.CURRENT, "", 0, 0);
  }
}

package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import java.util.List;

/** A worker is alive. It repeats the announcement and tells how far each location is. */
public record Heartbeat(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    Announcement announcement,
    List<LocationState> locations)
    implements LogEvent {

  /** Copies the collections. */
  public Heartbeat {
    locations = List.copyOf(locations);
  }

  /** In the current format. */
  public Heartbeat(
      String instanceId,
      int workerId,
      long epoch,
      Announcement announcement,
      List<LocationState> locations) {
    this(Formats.CURRENT, instanceId, workerId, epoch, announcement, locations);
  }
}

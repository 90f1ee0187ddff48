package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker is alive. It repeats the announcement and tells how far each location is.
 *
 * @param sentMillis when the worker wrote it, by its own clock, in milliseconds since 1970: to be
 *     shown, never to decide by
 * @param drain null of a worker that isn't being drained and was not
 */
public record Heartbeat(
    @FormatNumber int format,
    String instanceId,
    int workerId,
    long epoch,
    Announcement announcement,
    List<LocationState> locations,
    @Extension @Nullable Long sentMillis,
    @Extension @Nullable DrainState drain)
    implements LogEvent {

  /** Copies the collections. */
  public Heartbeat {
    locations = List.copyOf(locations);
  }

  /** In the current format, without extensions. */
  public Heartbeat(
      String instanceId,
      int workerId,
      long epoch,
      Announcement announcement,
      List<LocationState> locations) {
    this(Formats.CURRENT, instanceId, workerId, epoch, announcement, locations, null, null);
  }
}

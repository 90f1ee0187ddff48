package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.OrderedMaps;
import io.kvmesh.common.wire.TagValue;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * List all you hold. The arguments are any msgpack values: null, Boolean, Long, BigInteger, Float,
 * Double, String, Bytes, List, Map or ExtensionValue.
 */
@TagValue("full_sync")
public record FullSyncCommand(
    @DefaultValue @Nullable String reason,
    @DefaultValue @Nullable Map<String, @Nullable Object> args)
    implements HeartbeatCommand {

  /** Copies the collections. */
  public FullSyncCommand {
    args = args == null ? null : OrderedMaps.copyOf(args);
  }
}

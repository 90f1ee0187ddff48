package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.OrderedMaps;
import java.util.Map;

/** Settings for a worker that registered, such as {@code heartbeat_url}. */
public record RegisterRetMsg(@DefaultValue Map<String, String> extraConfig)
    implements DirectoryReply {

  /** Copies the collections. */
  public RegisterRetMsg {
    extraConfig = OrderedMaps.copyOf(extraConfig);
  }
}

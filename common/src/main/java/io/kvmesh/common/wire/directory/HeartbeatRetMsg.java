package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands for the worker, and the epoch that the answering view holds of it. */
public record HeartbeatRetMsg(
    @DefaultValue List<HeartbeatCommand> commands, @Extension @Nullable Long epoch)
    implements DirectoryReply {

  /** Copies the collections. */
  public HeartbeatRetMsg {
    commands = List.copyOf(commands);
  }

  /** Without extensions: as LMCache writes it. */
  public HeartbeatRetMsg(List<HeartbeatCommand> commands) {
    this(commands, null);
  }
}

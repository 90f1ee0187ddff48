package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.DefaultValue;
import org.jspecify.annotations.Nullable;

/** Whether the full sync may start. */
public record FullSyncStartRetMsg(
    String syncId, boolean accepted, @DefaultValue @Nullable String errorMsg)
    implements DirectoryReply {}

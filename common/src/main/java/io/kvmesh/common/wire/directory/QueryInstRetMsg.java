package io.kvmesh.common.wire.directory;

import org.jspecify.annotations.Nullable;

/** The instance, or null. */
public record QueryInstRetMsg(String eventId, @Nullable String instanceId)
    implements OrchestrationMessage {}

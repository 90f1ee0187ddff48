package io.kvmesh.common.wire.directory;

/**
 * The barrier: answered by {@link AppliedRetMsg} as soon as the view that serves lookups has
 * applied this sequence number of the worker's epoch, or the time is over.
 */
public record AppliedMsg(
    String instanceId, int workerId, long epoch, long sequence, long timeoutMillis)
    implements DirectoryRequest {}

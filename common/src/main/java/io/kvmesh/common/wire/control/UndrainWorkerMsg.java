package io.kvmesh.common.wire.control;

/**
 * Ours: you stay after all. End the drain that is under way, if there is one, and take from others
 * that are drained again. The reply comes when that is so; it tells of the drain that it ended.
 */
public record UndrainWorkerMsg(String workerEventId) implements ControlRequest {}

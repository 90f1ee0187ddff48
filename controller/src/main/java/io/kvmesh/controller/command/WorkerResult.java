package io.kvmesh.controller.command;

import io.kvmesh.common.key.WorkerId;
import org.jspecify.annotations.Nullable;

/**
 * A command at one worker.
 *
 * @param outcome null while it isn't known
 */
public record WorkerResult(WorkerId worker, @Nullable WorkerOutcome outcome) {}

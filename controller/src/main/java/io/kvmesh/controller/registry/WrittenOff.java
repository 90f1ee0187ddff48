package io.kvmesh.controller.registry;

import io.kvmesh.common.key.WorkerId;
import org.jspecify.annotations.Nullable;

/**
 * A worker that was dropped for its silence and has not come back.
 *
 * @param epoch of the life that ended
 * @param peerInitUrl where peers found it last; null if it never told
 * @param millis when the log says that it was dropped, in milliseconds since 1970
 */
public record WrittenOff(WorkerId id, long epoch, @Nullable String peerInitUrl, long millis) {}

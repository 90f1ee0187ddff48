package io.kvmesh.controller.web;

import io.kvmesh.controller.registry.WrittenOff;
import org.jspecify.annotations.Nullable;

/**
 * A worker that was dropped for its silence and has not come back, as answers show it.
 *
 * @param epoch of the life that ended
 * @param peerInitUrl where peers found it last; null if it never told
 * @param writtenOffMillis when it was dropped, by the log's clock, in milliseconds since 1970
 */
record WrittenOffJson(
    String instanceId, int rank, long epoch, @Nullable String peerInitUrl, long writtenOffMillis) {

  static WrittenOffJson of(WrittenOff worker) {
    return new WrittenOffJson(
        worker.id().instanceId(),
        worker.id().rank(),
        worker.epoch(),
        worker.peerInitUrl(),
        worker.millis());
  }
}

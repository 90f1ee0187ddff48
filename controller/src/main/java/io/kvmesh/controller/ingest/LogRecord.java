package io.kvmesh.controller.ingest;

import io.kvmesh.common.wire.event.LogEvent;

/**
 * A decoded record of the log.
 *
 * @param timestampMillis when the broker appended it
 */
record LogRecord(int partition, long offset, long timestampMillis, LogEvent event) {}

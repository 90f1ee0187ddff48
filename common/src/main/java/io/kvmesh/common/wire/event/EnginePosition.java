package io.kvmesh.common.wire.event;

/**
 * A batch of an engine's events up to which all is on the log, so that whoever speaks for the
 * engine next can go on from there.
 *
 * @param sequence that the engine gave it
 * @param check of its bytes: an engine that has started anew has another batch of that number
 * @param holes number of times that batches before it were missing or couldn't be read, though the
 *     engine is the same: what it holds may be listed wrongly since
 */
public record EnginePosition(long sequence, long check, int holes) {}

package io.kvmesh.agent.cache;

import java.lang.foreign.MemorySegment;

/**
 * A compressed body, as a lease has it.
 *
 * @param bytes read-only; not to be used after the lease is closed
 */
record PackedBody(MemorySegment bytes, CompressionMethod method) {}

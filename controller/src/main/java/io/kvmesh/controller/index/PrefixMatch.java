package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;

/**
 * A holder of the head of a list of chunks.
 *
 * @param length number of chunks held without a gap from the first, at least 1
 */
public record PrefixMatch(WorkerId worker, String location, int length) {}

package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.WorkerId;

/**
 * A worker that can serve a prefix.
 *
 * @param location of that worker which has all of it
 * @param chunks number of chunks without a gap from the first, at least 1
 * @param peerInitUrl where it is asked for them
 * @param epoch of its life
 */
public record Holder(
    WorkerId worker, String location, int chunks, String peerInitUrl, long epoch) {}

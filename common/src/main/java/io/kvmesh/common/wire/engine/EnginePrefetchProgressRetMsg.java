package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.PrefetchState;

/**
 * A prefetch as far as it is. The counts are of its chunks; what they lack of all is untried.
 *
 * @param resident here already
 * @param brought by this prefetch
 * @param missing that nobody has, and all behind such a one
 * @param failed that didn't come from a peer that should have them
 * @param reason in one word, of what failed; empty if nothing did
 */
public record EnginePrefetchProgressRetMsg(
    PrefetchState state,
    int chunks,
    int resident,
    int brought,
    int missing,
    int failed,
    String reason)
    implements EngineReply {}

package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to reach a peer.
 *
 * @param peerInitUrl its address, host:port
 * @param millis that it took
 * @param reason in words; null if it was reached
 */
public record PeerReach(
    String peerInitUrl, ReachOutcome outcome, long millis, @Extension @Nullable String reason) {}

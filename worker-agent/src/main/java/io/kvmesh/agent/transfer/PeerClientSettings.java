package io.kvmesh.agent.transfer;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;

/**
 * How this agent deals with the peers that it pulls from.
 *
 * @param sockets of all connections
 * @param connectTimeout from a peer's first use to the end of the handshake; so long may one also
 *     be silent while it is waited for, before it is passed over
 * @param passOverMost longest time for which a peer that failed is passed over
 * @param idleTimeout after which a connection that nobody used is closed
 * @param maxPeers connections kept
 * @param maxRequestsPerPeer that wait for an answer; more are refused
 * @param maxInFlightPerPeer bytes asked of one peer and not yet arrived
 * @param maxInFlight bytes asked of all peers and not yet arrived
 * @param copyThreads that help to copy chunks out of the memory of others
 */
public record PeerClientSettings(
    SocketSettings sockets,
    Duration connectTimeout,
    Duration passOverMost,
    Duration idleTimeout,
    int maxPeers,
    int maxRequestsPerPeer,
    long maxInFlightPerPeer,
    long maxInFlight,
    int copyThreads) {}

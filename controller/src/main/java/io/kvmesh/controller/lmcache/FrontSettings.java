package io.kvmesh.controller.lmcache;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;

/**
 * Settings of {@link DirectoryFront}. An empty endpoint means that there is no such socket.
 *
 * @param pullBind endpoint of the PULL
 * @param replyBind endpoint of the ROUTER for requests
 * @param heartbeatBind endpoint of the ROUTER for heartbeats
 * @param advertisedHost under which workers reach them; empty = by the address that heartbeats are
 *     bound to
 * @param sockets how all behave; a longer frame than theirs closes its connection
 * @param holdFor the longest time that a message of an unknown worker waits for the view
 * @param maxHeld such messages in all
 * @param maxInFlight requests that wait for the log or a barrier
 * @param maxWait the longest barrier
 * @param maxSyncs full syncs under way at a time
 * @param claimWait for so long signs of life are awaited of a worker whose identity or address
 *     another one claims
 */
public record FrontSettings(
    String pullBind,
    String replyBind,
    String heartbeatBind,
    String advertisedHost,
    SocketSettings sockets,
    Duration holdFor,
    int maxHeld,
    int maxInFlight,
    Duration maxWait,
    int maxSyncs,
    Duration claimWait) {}

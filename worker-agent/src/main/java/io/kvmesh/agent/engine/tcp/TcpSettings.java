package io.kvmesh.agent.engine.tcp;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * How a TCP door treats its clients.
 *
 * @param bind where it listens; port 0 = any free one
 * @param maxConnections open at once; a further client takes the place of one that has never asked
 *     for anything, or is sent away
 * @param idle after which a connection without a request is closed
 * @param stall after which a request or reply that makes no progress ends its connection
 */
public record TcpSettings(
    InetSocketAddress bind, int maxConnections, Duration idle, Duration stall) {}

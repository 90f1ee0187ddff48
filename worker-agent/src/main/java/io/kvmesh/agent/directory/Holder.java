package io.kvmesh.agent.directory;

/**
 * A peer that holds chunks.
 *
 * @param instanceId whose it is
 * @param location in which of its memories
 * @param chunks of the prefix that it holds, at least 1
 * @param peerAddress host:port of its init port
 */
public record Holder(String instanceId, String location, int chunks, String peerAddress) {}

package io.kvmesh.common.wire.handshake;

/**
 * The file in which an owner's chunks lie, for a requester on the same host.
 *
 * @param file its name, without a directory
 * @param bytes size of the memory in it
 * @param id what the file must say of itself, a UUID
 */
public record SharedMemory(String file, long bytes, String id) {}

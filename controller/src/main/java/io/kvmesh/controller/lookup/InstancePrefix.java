package io.kvmesh.controller.lookup;

/**
 * What an instance has of a prompt.
 *
 * @param location where its shortest rank has it
 * @param chunks number of chunks, without a gap from the first, that all of its ranks have; at
 *     least 1
 */
public record InstancePrefix(String instanceId, String location, int chunks) {}

package io.kvmesh.common.wire.event;

/**
 * How far a location is: number of its last operation (the first of an epoch is 1; 0 is none),
 * resident chunks, and their digest, all taken at one moment.
 */
public record LocationState(String location, long sequence, long residentCount, long digest) {}

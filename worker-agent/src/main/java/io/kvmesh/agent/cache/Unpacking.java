package io.kvmesh.agent.cache;

/**
 * A compressed chunk whose body is to be written to a place of the memory. Who does so holds the
 * chunk beside its lease.
 */
record Unpacking(int slot, int place) {}

package io.kvmesh.quickstart.fleet;

/** Where a controller listens, host:port each. */
record ControllerAddresses(String rest, String pull, String reply) {}

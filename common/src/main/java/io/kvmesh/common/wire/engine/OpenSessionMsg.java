package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.FormatNumber;

/** Opens a session, which owns all leases of a client; the client's name is for logs. */
public record OpenSessionMsg(@FormatNumber int format, String client) implements EngineRequest {}

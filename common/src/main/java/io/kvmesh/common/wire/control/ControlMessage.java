package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Message;

/** Everything that goes over a worker's control socket. */
public sealed interface ControlMessage extends Message permits ControlRequest, ControlReply {}

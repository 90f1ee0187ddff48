package io.kvmesh.common.wire.engine;

import io.kvmesh.common.wire.Message;

/** Everything that goes over the native door. */
public sealed interface EngineMessage extends Message permits EngineRequest, EngineReply {}

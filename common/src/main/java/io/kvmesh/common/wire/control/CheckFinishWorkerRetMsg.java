package io.kvmesh.common.wire.control;

/** The state of an operation. */
public record CheckFinishWorkerRetMsg(String status) implements ControlReply {}

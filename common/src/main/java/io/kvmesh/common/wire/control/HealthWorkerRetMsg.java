package io.kvmesh.common.wire.control;

/** 0 is good. */
public record HealthWorkerRetMsg(int errorCode) implements ControlReply {}

package io.kvmesh.common.wire.directory;

/**
 * Whether the number was reached, and what the view holds now (epoch −1: the worker is unknown).
 */
public record AppliedRetMsg(boolean applied, long epoch, long sequence) implements DirectoryReply {}

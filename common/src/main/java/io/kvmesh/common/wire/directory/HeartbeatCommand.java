package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.TagField;

/** What a heartbeat's reply tells a worker to do; its kind is in {@code command_type}. */
@TagField("command_type")
public sealed interface HeartbeatCommand permits FullSyncCommand {}

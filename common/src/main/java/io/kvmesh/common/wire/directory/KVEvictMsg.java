package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.DefaultValue;

/** One chunk is resident no longer (older workers). */
public record KVEvictMsg(
    String instanceId, int workerId, ChunkHash key, String location, @DefaultValue("0") long seqNum)
    implements DirectoryPush {}

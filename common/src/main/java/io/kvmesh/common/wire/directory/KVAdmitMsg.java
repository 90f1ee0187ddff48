package io.kvmesh.common.wire.directory;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.DefaultValue;

/** One chunk became resident (older workers). */
public record KVAdmitMsg(
    String instanceId, int workerId, ChunkHash key, String location, @DefaultValue("0") long seqNum)
    implements DirectoryPush {}

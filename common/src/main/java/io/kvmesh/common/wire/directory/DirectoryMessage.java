package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.Message;

/** Everything that the controller's sockets take or answer. */
public sealed interface DirectoryMessage extends Message
    permits DirectoryPush, DirectoryRequest, DirectoryReply, OrchestrationMessage {}

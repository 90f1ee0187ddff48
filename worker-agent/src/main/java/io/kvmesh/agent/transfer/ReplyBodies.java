package io.kvmesh.agent.transfer;

import io.kvmesh.common.zmq.Frame;
import java.util.List;

/**
 * What followed a reply.
 *
 * @param requestId of the request that it answers
 * @param frames after the payload
 */
record ReplyBodies(long requestId, List<Frame> frames) {}

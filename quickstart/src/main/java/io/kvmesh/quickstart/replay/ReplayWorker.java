package io.kvmesh.quickstart.replay;

import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.key.WorkerId;

/** An agent and the session in which its requests are replayed. */
public record ReplayWorker(WorkerId id, EngineClient engine) {}

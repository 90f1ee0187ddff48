package io.kvmesh.quickstart.replay;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.quickstart.client.EngineClient;

/** An agent and the session in which its requests are replayed. */
public record ReplayWorker(WorkerId id, EngineClient engine) {}

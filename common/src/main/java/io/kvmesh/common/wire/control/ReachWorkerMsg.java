package io.kvmesh.common.wire.control;

import java.util.List;

/**
 * Ours: can you reach these peers, as you would to pull from them? Nothing is pulled, and nothing
 * is kept. The reply comes when all are tried.
 *
 * @param peers addresses of their init ports, host:port; at most {@link #MOST_PEERS}
 * @param timeoutMillis in which it is to be over; 0 = the worker's own bound, which holds always
 */
public record ReachWorkerMsg(String workerEventId, List<String> peers, long timeoutMillis)
    implements ControlRequest {

  /** More are refused. */
  public static final int MOST_PEERS = 32;

  /** Copies the collection. */
  public ReachWorkerMsg {
    peers = List.copyOf(peers);
  }
}

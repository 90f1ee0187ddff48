package io.kvmesh.agent.engine;

/**
 * A session that holds pages for an engine on this host.
 *
 * @param client as it called itself
 * @param claimedChunks that it may be writing
 * @param leasedChunks that it may be reading, one counting once for each lease
 * @param maxChunks of both together
 * @param atItsShare whether it gets no more
 * @param refusals requests that were refused for that
 */
public record HandOverState(
    String client,
    int claimedChunks,
    int leasedChunks,
    int maxChunks,
    boolean atItsShare,
    long refusals) {

  static HandOverState of(EngineSession session) {
    EngineShare share = session.share();
    return new HandOverState(
        session.client(),
        session.claimedChunks(),
        share.held() - session.claimedChunks(),
        share.most(),
        share.isUsedUp(),
        share.refusals());
  }
}

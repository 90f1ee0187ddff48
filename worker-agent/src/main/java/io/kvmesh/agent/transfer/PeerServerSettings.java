package io.kvmesh.agent.transfer;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;

/**
 * How this agent serves its peers.
 *
 * @param sockets of both doors
 * @param initBind door for handshakes, tcp://host:port
 * @param lookupBind door for requests, tcp://host:port
 * @param advertisedHost under which peers reach both
 * @param maxLoanedPerPeer bytes on loan to one peer
 * @param maxLoaned bytes on loan to all
 * @param maxSealed bytes of these that are sealed, where frames are: so many lie on the heap too
 * @param maxOverduePerPeer loans of one peer that may be overdue before it gets no more
 * @param loanDeadline after which a loan is overdue
 * @param maxPeers whose handshakes are remembered
 * @param puts how it takes what they push
 */
public record PeerServerSettings(
    SocketSettings sockets,
    String initBind,
    String lookupBind,
    String advertisedHost,
    long maxLoanedPerPeer,
    long maxLoaned,
    long maxSealed,
    int maxOverduePerPeer,
    Duration loanDeadline,
    int maxPeers,
    PutLimits puts) {

  /** Bytes that one reply may carry. */
  long maxReply() {
    return sockets.keys().isPresent() ? Math.min(maxLoanedPerPeer, maxSealed) : maxLoanedPerPeer;
  }

  Loans.Limits loanLimits() {
    return new Loans.Limits(
        maxLoanedPerPeer, maxLoaned, maxSealed, maxOverduePerPeer, loanDeadline);
  }
}

package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.zmq.Frame;
import java.util.List;

/**
 * The way in which one peer's chunks come to this agent, agreed in the handshake, as the requester
 * has it. It lives as long as the connection; a delivery may live longer. The thread of the
 * connection.
 */
interface TransferChannel extends AutoCloseable {

  /** One of the names in {@link Channels}. */
  String name();

  /**
   * Takes a reply.
   *
   * @param frames that followed it
   * @param asked number of chunks that were asked for
   * @param pageBytes of the largest chunk that can be kept
   * @param loan of the owner's pages, to be ended as soon as none of them is needed any more; not
   *     ended where this throws
   * @throws BrokenReplyException if it can't be an answer to what was asked
   */
  Delivery receive(
      BatchedLookupAndGetRetMsg reply,
      List<Frame> frames,
      int asked,
      int pageBytes,
      BorrowedPages.Loan loan)
      throws BrokenReplyException;

  /** Nothing more is received. Idempotent. */
  @Override
  void close();
}

package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;

/**
 * The way in which one peer's chunks come to this agent, agreed in the handshake, as the requester
 * has it. It lives as long as the connection; a delivery may live longer. The thread of the
 * connection.
 */
interface TransferChannel extends AutoCloseable {

  /** One of {@link Channels#ALL}. */
  String name();

  /**
   * Takes a reply.
   *
   * @param chunks what it says of them, checked
   * @param bodies what followed it
   * @param loan of the owner's pages, to be ended as soon as none of them is needed any more; not
   *     ended where this throws
   * @throws BrokenReplyException if it can't be an answer to what was asked
   */
  Delivery receive(
      DeliveredChunks chunks,
      BatchedLookupAndGetRetMsg reply,
      ReplyBodies bodies,
      BorrowedPages.Loan loan)
      throws BrokenReplyException;

  /** Whether nothing can be received over it any more, though the connection may be there. */
  boolean broken();

  /** Nothing more is received. Idempotent. */
  @Override
  void close();
}

package io.kvmesh.agent.transfer;

/** What happens at the doors for peers. */
public enum ServerCount {
  /** A peer introduced itself and was accepted. */
  HANDSHAKE,
  /** A peer introduced itself and was refused. */
  HANDSHAKE_REFUSED,
  /** A request for chunks was answered, with any number of them. */
  GET,
  /** Of these, with none. */
  GET_EMPTY,
  /** A chunk was sent. */
  CHUNK_SENT,
  /** A byte of a chunk was sent, compressed or not. */
  BYTE_SENT,
  /** A chunk was sent as it lies compressed. */
  CHUNK_COMPRESSED,
  /** A byte wasn't sent since its chunk went compressed. */
  BYTE_SAVED,
  /** A chunk was lent to a peer that reads this agent's memory. */
  CHUNK_SHARED,
  /** A byte of such a chunk. */
  BYTE_SHARED,
  /** A chunk was copied for a peer that can't say when it has read it. */
  CHUNK_COPIED,
  /** A request came without a handshake, or with the epoch of another life. */
  NOT_INITIALIZED,
  /** A request was refused because too much is on loan. */
  OVERLOADED,
  /** A request failed here. */
  SERVER_ERROR,
  /** A push of chunks was answered, with any number of them read. */
  PUT,
  /** A push was refused: its sender is unknown, or what it says makes no sense. */
  PUT_REFUSED,
  /**
   * A message that isn't sealed under a key that was told here, or came before; it gets no answer.
   */
  UNSEALED,
  /** A push was refused because too many are at work. */
  PUT_OVERLOADED,
  /** A push whose sender couldn't be read from, for one chunk at least. */
  PUT_UNREAD,
  /** A chunk was read from the sender of a push and kept. */
  CHUNK_READ,
  /** A byte of such a chunk. */
  BYTE_READ,
  /** A chunk gave way to one of a peer that is going. */
  CHUNK_DISPLACED,
  /** What a move brought is no longer held because its sender said that it is over. */
  HOLD_DONE,
  /** What a move brought is no longer held because its time has passed. */
  HOLD_EXPIRED,
  /** A sender said that a move is over of which nothing is held. */
  UNKNOWN_HOLD,
  /** A frame that is no message, or none of those that are expected. */
  BAD_FRAME,
  /** A traceparent that is none; the request is served without its trace. */
  BAD_TRACEPARENT,
  /** A reply could neither be routed nor queued. */
  REPLY_LOST,
  /** A loan ended because the peer said so. */
  LOAN_DONE,
  /** A loan ended because its connection went away. */
  LOAN_GONE,
  /** A loan passed its deadline. */
  LOAN_OVERDUE,
  /** A peer said done for a loan that it doesn't have. */
  UNKNOWN_LOAN
}

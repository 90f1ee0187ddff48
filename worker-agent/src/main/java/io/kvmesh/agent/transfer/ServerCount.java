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
  /** A byte of a chunk was sent. */
  BYTE_SENT,
  /** A chunk was copied for a peer that can't say when it has read it. */
  CHUNK_COPIED,
  /** A request came without a handshake, or with the epoch of another life. */
  NOT_INITIALIZED,
  /** A request was refused because too much is on loan. */
  OVERLOADED,
  /** A request failed here. */
  SERVER_ERROR,
  /** A push was refused: this agent takes none. */
  PUT_REFUSED,
  /** A frame that is no message, or none of those that are expected. */
  BAD_FRAME,
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

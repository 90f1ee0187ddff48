package io.kvmesh.agent.engine;

/** What happens at the engine's door. */
public enum EngineCount {
  /** A session was opened. */
  SESSION,
  /** A session ended because its client said so. */
  SESSION_CLOSED,
  /** A session ended because its client's connection went away. */
  SESSION_GONE,
  /** A session ended because nobody used it for too long. */
  SESSION_IDLE,
  /** A lease that nobody read was released after its lifetime. */
  LEASE_EXPIRED,
  /** A process on this host holds on to its session, by a connection to the Unix socket. */
  LIFELINE,
  /** A session ended because that connection did: its process has ended, or let go of it. */
  LIFELINE_ENDED,
  /** A connection to the Unix socket was refused: too many, another user, or no such session. */
  LIFELINE_REFUSED,
  /** A prefix was looked up. */
  LOOKUP,
  /** A prefix was retrieved. */
  RETRIEVE,
  /** Chunks were offered to be stored. */
  STORE,
  /** A lease was released by its client. */
  RELEASE,
  /** Chunks of a lease were used. */
  TOUCH,
  /** Memory was claimed, to be written in place. */
  CLAIM,
  /** A claim was committed. */
  COMMIT,
  /** A claim was given back unwritten. */
  ABORT,
  /** A prefix was leased, to be read in place. */
  LEASE,
  /** A prefetch was begun. */
  PREFETCH,
  /** Chunks were pinned. */
  PIN,
  /** Pins were taken off. */
  UNPIN,
  /** A chunk that was asked for. */
  CHUNK_ASKED,
  /** A chunk that was found here. */
  CHUNK_LOCAL,
  /** A chunk that a peer had. */
  CHUNK_PEER,
  /** A chunk whose memory was handed over to be written. */
  CHUNK_CLAIMED,
  /** A chunk whose claim was given back. */
  CHUNK_ABORTED,
  /** A chunk that was handed over to be read in place. */
  CHUNK_LEASED,
  /** A chunk that was stored. */
  CHUNK_STORED,
  /** A chunk that was resident already. */
  CHUNK_RESIDENT,
  /** A chunk for which nothing could be evicted. */
  CHUNK_NO_SPACE,
  /** A chunk larger than anything that can be given out. */
  CHUNK_TOO_LARGE,
  /** A part of a chunk, where such aren't kept. */
  CHUNK_UNFULL,
  /** A chunk whose body isn't as long as its number of tokens says. */
  CHUNK_WRONG_SIZE,
  /** A chunk that isn't kept since this agent keeps none that are stored. */
  CHUNK_NOT_KEPT,
  /** A byte that went to the engine. */
  BYTE_OUT,
  /** A byte that came from the engine. */
  BYTE_IN,
  /** A request that makes no sense, or can't be read. */
  BAD_REQUEST,
  /** A traceparent that is none; the request is served without its trace. */
  BAD_TRACEPARENT,
  /** A request of a session or a lease that isn't there. */
  UNKNOWN,
  /** A request refused because its session would hold more than its share. */
  OVER_SHARE,
  /** A request that its client cancelled. */
  CANCELLED,
  /** A request refused because too much is under way. */
  OVERLOADED,
  /** A request refused because this agent is closing. */
  CLOSING,
  /** A request that failed here. */
  FAILED,
  /** A reply could neither be routed nor queued. */
  REPLY_LOST
}

package io.kvmesh.agent.transfer;

/** What happens when this agent pulls from peers. */
public enum PullCount {
  /** A pull that got chunks. */
  HIT,
  /** A pull whose peer had nothing. */
  MISS,
  /** A pull that ended because nothing here could be evicted. */
  NO_ROOM,
  /** A pull whose peer couldn't be reached or went away. */
  UNAVAILABLE,
  /** A pull whose peer answered with an error. */
  REJECTED,
  /** A pull whose peers lent no more. */
  OVERLOADED,
  /** A pull whose deadline passed. */
  TIMED_OUT,
  /** A pull whose peer's answer was wrong. */
  BROKEN,
  /** A chunk that came and was kept. */
  CHUNK,
  /** A byte of such a chunk. */
  BYTE,
  /** A chunk that came compressed, pulled or pushed, and could be decompressed. */
  CHUNK_COMPRESSED,
  /** A byte of such a chunk that didn't have to come. */
  BYTE_SAVED,
  /** A chunk whose checksum was wrong. */
  HARMED_CHUNK,
  /**
   * A chunk that came compressed and couldn't be decompressed to the length that it should have.
   */
  MALFORMED_CHUNK,
  /** A chunk whose memory was given out anew, or went away, while it was copied. */
  CHUNK_CHANGED,
  /** A chunk that was not kept: a part of one, or of another length than those here. */
  UNWANTED_CHUNK,
  /** Chunks were asked again of the same peer. */
  RETRY,
  /** Chunks that one peer failed to deliver were asked of another. */
  MOVED_ON,
  /** A peer was given up since it kept silent while another could be asked. */
  SILENT,
  /** A pull that waited because another was pulling the same chunk. */
  SHARED,
  /** A handshake that succeeded. */
  HANDSHAKE,
  /** A handshake that failed. */
  HANDSHAKE_FAILED,
  /** A channel that two sides had agreed on and that could not be opened; another was taken. */
  CHANNEL_FALLBACK,
  /** A connection that went away. */
  CONNECTION_LOST,
  /** A request refused because its peer is being passed over. */
  PASSED_OVER,
  /** A reply that nobody waits for: late, doubled or never asked for. */
  FOREIGN_REPLY,
  /** A frame that is no message, or none of those that are expected. */
  BAD_FRAME
}

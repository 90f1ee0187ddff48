package io.kvmesh.agent.cache;

/** What came of asking for room for a chunk. */
public sealed interface Claim {

  /** The chunk is resident already and now held by the lease; it keeps its body and isn't used. */
  record Resident() implements Claim {}

  /** There is room: fill the chunk, then commit or abort it. */
  record Claimed(PendingChunk chunk) implements Claim {}

  /** Nothing is free and nothing may go. */
  record NoSpace() implements Claim {}

  /** The body is larger than a page. */
  record TooLarge() implements Claim {}
}

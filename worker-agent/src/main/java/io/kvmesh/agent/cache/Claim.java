package io.kvmesh.agent.cache;

/** What came of asking for room for a chunk: a {@link PendingChunk} where there is room. */
public sealed interface Claim
    permits PendingChunk,
        Claim.Resident,
        Claim.NoSpace,
        Claim.TooLarge,
        Claim.Unfull,
        Claim.WrongSize,
        Claim.NotKept,
        Claim.Closed {

  /** The chunk is resident already and now held by the lease; it keeps its body and isn't used. */
  record Resident() implements Claim {}

  /** Nothing is free and nothing may go, or not before the deadline. */
  record NoSpace() implements Claim {}

  /** The body is larger than anything that can be given out. */
  record TooLarge() implements Claim {}

  /** It is a part of a chunk, and such aren't kept. */
  record Unfull() implements Claim {}

  /**
   * The body isn't as long as its number of tokens says.
   *
   * @param expectedBytes how long it would be; 0 = there is no chunk with so many tokens
   */
  record WrongSize(long expectedBytes) implements Claim {}

  /** This cache keeps nothing. */
  record NotKept() implements Claim {}

  /** The cache is closing. */
  record Closed() implements Claim {}
}

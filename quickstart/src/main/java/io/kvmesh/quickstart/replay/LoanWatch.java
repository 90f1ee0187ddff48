package io.kvmesh.quickstart.replay;

/**
 * Waits until no agent has a page on loan. A lent page can't be evicted, and the message that ends
 * a loan has no reply: without this wait it would be a matter of luck which chunks the next request
 * finds evictable.
 */
@FunctionalInterface
public interface LoanWatch {

  /** False if it took too long. */
  boolean awaitReturned() throws InterruptedException;
}

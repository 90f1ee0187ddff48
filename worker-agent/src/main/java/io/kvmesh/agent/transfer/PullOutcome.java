package io.kvmesh.agent.transfer;

/**
 * What came of pulling a prefix. Whatever it is, {@link #chunks} chunks from the first asked one on
 * are resident and in the request's lease, and no page is held for the others. Where several peers
 * were asked, it says why the last of them didn't give the chunk after those.
 */
public sealed interface PullOutcome {

  /** How many chunks, from the first on. */
  int chunks();

  /** A short name, the same as in metrics. */
  String label();

  /** A prefix came, all of it or less. */
  record Hit(int chunks) implements PullOutcome {
    @Override
    public String label() {
      return "hit";
    }
  }

  /** The peer holds not even the first chunk. */
  record Miss() implements PullOutcome {
    @Override
    public int chunks() {
      return 0;
    }

    @Override
    public String label() {
      return "miss";
    }
  }

  /** Nothing here could be evicted for the chunk after the last. */
  record NoRoom(int chunks) implements PullOutcome {
    @Override
    public String label() {
      return "no_room";
    }
  }

  /** The peer can't be reached, is being passed over, refuses to deal with us, or went away. */
  record Unavailable(int chunks, String reason) implements PullOutcome {
    @Override
    public String label() {
      return "unavailable";
    }
  }

  /** The peer answered with an error, see P2PErrorMsg. */
  record Rejected(int chunks, int code) implements PullOutcome {
    @Override
    public String label() {
      return "rejected_" + code;
    }
  }

  /** The peer lends no more to us, or to anybody. */
  record Overloaded(int chunks) implements PullOutcome {
    @Override
    public String label() {
      return "overloaded";
    }
  }

  /** The deadline passed first, or the peer kept silent for too much of it. */
  record TimedOut(int chunks) implements PullOutcome {
    @Override
    public String label() {
      return "timed_out";
    }
  }

  /** The peer's answer was wrong: shape, size or checksum. */
  record Broken(int chunks, String reason) implements PullOutcome {
    @Override
    public String label() {
      return "broken";
    }
  }
}

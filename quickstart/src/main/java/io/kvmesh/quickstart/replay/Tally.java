package io.kvmesh.quickstart.replay;

import java.util.Locale;

/** Counts while a replay goes on. Owned by its thread. */
public final class Tally {

  long requests;
  long chunks;
  long local;
  long peer;
  long notStored;
  long bytesPulled;
  long bodiesChecked;
  final LatencyRecorder lookup = new LatencyRecorder();
  final LatencyRecorder pull = new LatencyRecorder();
  final LatencyRecorder eventLag = new LatencyRecorder();

  Tally() {}

  void retrieved(int asked, int fromHere, int fromPeers) {
    chunks += asked;
    local += fromHere;
    peer += fromPeers;
  }

  /** For the progress line. */
  public String note() {
    return String.format(
        Locale.ROOT, "%,d local, %,d peer, %,d miss", local, peer, chunks - local - peer);
  }

  /**
   * All of it.
   *
   * @param evictions of all workers during the replay
   * @param resident chunks in all workers now
   * @param wallNanos the whole replay
   */
  public Outcome outcome(long evictions, long resident, long wallNanos) {
    return new Outcome(
        requests,
        chunks,
        local,
        peer,
        chunks - local - peer,
        notStored,
        evictions,
        resident,
        bytesPulled,
        bodiesChecked,
        lookup.summary(),
        pull.summary(),
        eventLag.summary(),
        wallNanos);
  }
}

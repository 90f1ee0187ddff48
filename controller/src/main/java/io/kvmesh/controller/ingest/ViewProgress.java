package io.kvmesh.controller.ingest;

/** How far the view in memory is, and those who wait for it to go on. Any thread. */
record ViewProgress(ReadPositions positions, CatchUps catchUps, TickDelays delays) {

  /** The view has gone on. */
  void check() {
    catchUps.check(positions);
    delays.check();
  }
}

package io.kvmesh.controller.ingest;

import java.util.concurrent.atomic.LongAdder;

/** Counts of one reader of the log; see {@link IngestCounts}. Any thread. */
final class IngestCounters {

  final LongAdder records = new LongAdder();
  final LongAdder operations = new LongAdder();
  final LongAdder garbage = new LongAdder();
  final LongAdder unsupported = new LongAdder();
  final LongAdder stale = new LongAdder();
  final LongAdder gaps = new LongAdder();
  final LongAdder duplicates = new LongAdder();
  final LongAdder mismatches = new LongAdder();
  final LongAdder snapshots = new LongAdder();
  final LongAdder voidSnapshots = new LongAdder();
  final LongAdder expired = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder reloads = new LongAdder();
  final LongAdder truncated = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder unplaced = new LongAdder();

  IngestCounts counts() {
    return new IngestCounts(
        records.sum(),
        operations.sum(),
        garbage.sum(),
        unsupported.sum(),
        stale.sum(),
        gaps.sum(),
        duplicates.sum(),
        mismatches.sum(),
        snapshots.sum(),
        voidSnapshots.sum(),
        expired.sum(),
        refused.sum(),
        reloads.sum(),
        truncated.sum(),
        failures.sum(),
        unplaced.sum());
  }
}

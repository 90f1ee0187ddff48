package io.kvmesh.agent.event;

import java.util.concurrent.atomic.AtomicLong;

/** What the publisher counts; see PublisherStats. Written by its thread, read by any. */
final class PublisherCounters {

  final AtomicLong sentRecords = new AtomicLong();
  final AtomicLong sentEvents = new AtomicLong();
  final AtomicLong failedSends = new AtomicLong();
  final AtomicLong heartbeats = new AtomicLong();
  final AtomicLong snapshotsStarted = new AtomicLong();
  final AtomicLong snapshotsCompleted = new AtomicLong();
  final AtomicLong snapshotsVoided = new AtomicLong();
  final AtomicLong snapshotsWanted = new AtomicLong();
}

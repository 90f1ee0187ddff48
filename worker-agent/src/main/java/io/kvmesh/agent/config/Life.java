package io.kvmesh.agent.config;

import io.kvmesh.agent.directory.HeartbeatListener;
import io.kvmesh.agent.event.KafkaEventPublisher;
import java.util.concurrent.atomic.AtomicReference;

/**
 * This life of the worker, as the log knows it. The doors ask for it before the publisher exists,
 * which in turn announces the doors' ports; until then the epoch is unknown. Any thread.
 */
final class Life implements HeartbeatListener {

  private static final long UNKNOWN = -1;

  private final AtomicReference<KafkaEventPublisher> publisher = new AtomicReference<>();

  void toldBy(KafkaEventPublisher teller) {
    publisher.set(teller);
  }

  long epoch() {
    KafkaEventPublisher teller = publisher.get();
    return teller == null ? UNKNOWN : teller.epoch();
  }

  boolean fenced() {
    KafkaEventPublisher teller = publisher.get();
    return teller != null && teller.fenced();
  }

  @Override
  public void snapshotWanted(String reason) {
    KafkaEventPublisher teller = publisher.get();
    if (teller != null) {
      teller.snapshotWanted(reason);
    }
  }

  @Override
  public void epochSeen(long epoch) {
    KafkaEventPublisher teller = publisher.get();
    if (teller != null && teller.epoch() >= 0 && epoch > teller.epoch()) {
      teller.laterEpochSeen(epoch);
    }
  }
}

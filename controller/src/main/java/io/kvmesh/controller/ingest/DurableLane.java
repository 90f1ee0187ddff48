package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A partition that is written to the durable view. Belongs to the writer's thread. */
final class DurableLane {

  final TopicPartition partition;

  /** Workers of which the view holds something else than the writer has given it. */
  final Set<WorkerId> refused = new HashSet<>();

  /** The view's life in which it was loaded. */
  String life = "";

  boolean loaded;
  boolean failed;

  DurableLane(TopicPartition partition) {
    this.partition = partition;
  }

  int number() {
    return partition.partition();
  }
}

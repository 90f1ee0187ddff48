package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.WorkerId;
import java.util.List;

/**
 * A worker announces other parameters than most agents of its model, so they can't use each other's
 * chunks.
 *
 * @param reference a worker that announces what most do
 * @param fields names of what differs
 */
public record Mismatch(WorkerId reference, List<String> fields) {

  /** Copies the collection. */
  public Mismatch {
    fields = List.copyOf(fields);
  }
}

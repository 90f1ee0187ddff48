package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether the bytes of one worker are of use to another. */
final class AnnouncementMatch {

  private AnnouncementMatch() {}

  /**
   * Whether the worker can serve a requester: foreign workers serve foreign keyspaces only, agents
   * the others, and engines nobody: their memory can't be pulled from. What a requester has not
   * told can't be compared.
   */
  static boolean serves(Announcement offered, Keyspace keyspace, @Nullable Announcement requester) {
    boolean foreign = offered.kind() == WorkerKind.FOREIGN;
    if (offered.kind() == WorkerKind.ENGINE || foreign != keyspace.isForeign()) {
      return false;
    }
    return foreign || requester == null || differences(offered, requester).isEmpty();
  }

  /** Names of what must be equal and is not. */
  static List<String> differences(Announcement one, Announcement other) {
    List<String> names = new ArrayList<>();
    note(names, "kind", one.kind(), other.kind());
    note(names, "model", one.model(), other.model());
    note(names, "dtype", one.dtype(), other.dtype());
    note(names, "chunkTokens", one.chunkTokens(), other.chunkTokens());
    note(names, "pageBytes", one.pageBytes(), other.pageBytes());
    note(names, "memoryFormat", one.memoryFormat(), other.memoryFormat());
    note(names, "hashAlgorithm", one.hashAlgorithm(), other.hashAlgorithm());
    note(names, "hashSeed", one.hashSeed(), other.hashSeed());
    if (Collections.disjoint(one.channels(), other.channels())) {
      names.add("channels");
    }
    return names;
  }

  private static void note(
      List<String> names, String name, @Nullable Object one, @Nullable Object other) {
    if (!Objects.equals(one, other)) {
      names.add(name);
    }
  }
}

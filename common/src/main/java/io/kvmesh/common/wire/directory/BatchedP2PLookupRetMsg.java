package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holders found, the best first; {@link PeerLayout#MISS} alone if there is none. Each has its
 * own prefix, from the first chunk on; LMCache reads the first holder alone and sends no other.
 * Ours: the holders' epochs, one for each.
 */
public record BatchedP2PLookupRetMsg(
    List<PeerLayout> layoutInfo, @Extension @Nullable List<Long> epochs) implements DirectoryReply {

  /** Copies the collections. */
  public BatchedP2PLookupRetMsg {
    layoutInfo = List.copyOf(layoutInfo);
    epochs = epochs == null ? null : List.copyOf(epochs);
  }

  /** Without extensions: as LMCache writes it. */
  public BatchedP2PLookupRetMsg(List<PeerLayout> layoutInfo) {
    this(layoutInfo, null);
  }
}

package io.kvmesh.common.wire.vllm;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks are cached no longer.
 *
 * @param medium where they were; null = the GPU, of engines that told none yet
 * @param groupIdx of the layers that kept them
 */
public record BlockRemoved(
    List<BlockHash> blockHashes,
    @DefaultValue @Nullable String medium,
    @Extension @Nullable Integer groupIdx)
    implements KvEvent {

  /** Copies the list. */
  public BlockRemoved {
    blockHashes = List.copyOf(blockHashes);
  }
}

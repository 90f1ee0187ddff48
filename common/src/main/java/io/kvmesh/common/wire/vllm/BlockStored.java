package io.kvmesh.common.wire.vllm;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that follow each other are cached now. LMCache tells of its chunks in the same way, one
 * event a chunk, with medium {@code cpu}.
 *
 * @param parentBlockHash of the block before the first; null = the first begins a prompt
 * @param tokenIds of all blocks
 * @param blockSize tokens of a block
 * @param medium where they are; null = the GPU, of engines that told none yet
 * @param extraKeys what was hashed with the tokens, for each block
 * @param groupIdx of the layers that keep the blocks, where a model has groups of several kinds
 * @param kvCacheSpecKind of that group, such as full_attention
 * @param kvCacheSpecSlidingWindow its window in tokens, if it has one
 */
public record BlockStored(
    List<BlockHash> blockHashes,
    @DefaultValue @Nullable BlockHash parentBlockHash,
    List<Long> tokenIds,
    int blockSize,
    @DefaultValue @Nullable Long loraId,
    @DefaultValue @Nullable String medium,
    @DefaultValue @Nullable String loraName,
    @Extension @Nullable Object extraKeys,
    @Extension @Nullable Integer groupIdx,
    @Extension @Nullable String kvCacheSpecKind,
    @Extension @Nullable Integer kvCacheSpecSlidingWindow)
    implements KvEvent {

  /** Copies the lists. */
  public BlockStored {
    blockHashes = List.copyOf(blockHashes);
    tokenIds = List.copyOf(tokenIds);
  }
}

package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.OrderedMaps;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Number of tokens whose chunks are decompressed now. Ours:
 *
 * @param numChunks chunks that became so
 * @param bytesBefore what their bodies were long before
 * @param bytesAfter what they are long now
 * @param outcomes how many chunks, by what became of them
 */
public record DecompressWorkerRetMsg(
    long numTokens,
    @Extension @Nullable Long numChunks,
    @Extension @Nullable Long bytesBefore,
    @Extension @Nullable Long bytesAfter,
    @Extension @Nullable Map<PackOutcome, Integer> outcomes)
    implements ControlReply {

  /** Copies the map. */
  public DecompressWorkerRetMsg {
    outcomes = outcomes == null ? null : OrderedMaps.copyOf(outcomes);
  }

  /** Without extensions: as LMCache writes it. */
  public DecompressWorkerRetMsg(long numTokens) {
    this(numTokens, null, null, null, null);
  }
}

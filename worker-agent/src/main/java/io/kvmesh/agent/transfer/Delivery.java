package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a reply, to be copied once. Their count and all their sizes are right; whether the
 * bytes are, the copy tells. Closing it gives up what it holds: receive buffers, or the owner's
 * loan. One thread at a time; closing it is idempotent.
 */
abstract class Delivery implements AutoCloseable {

  /** To wake a helper costs as much as it copies meanwhile of less than this. */
  private static final long WORTH_HELP_BYTES = 4 << 20;

  /** What became of a chunk that was to be copied; its memory holds anything unless it is right. */
  enum Copied {
    /** Nobody needs its bytes. */
    SKIPPED,
    /** Its bytes are those that were committed at its owner. */
    RIGHT,
    /**
     * Its owner has given its memory out anew, as it may once it sees no connection any more; that
     * is nobody's fault.
     */
    CHANGED,
    /** Its bytes are others. */
    HARMED,
    /** It came compressed, and not from a body of its length. */
    MALFORMED
  }

  private final DeliveredChunks chunks;

  Delivery(DeliveredChunks chunks) {
    this.chunks = chunks;
  }

  /** How many chunks it holds. */
  final int chunks() {
    return chunks.count();
  }

  /** Bytes of a chunk. */
  final int length(int chunk) {
    return chunks.lengths().get(chunk);
  }

  /** Bytes of the first {@code count} chunks. */
  final long bytes(int count) {
    return IntStream.range(0, count).mapToLong(this::length).sum();
  }

  /** Tokens of a chunk. */
  final int tokens(int chunk) {
    return chunks.tokens().get(chunk);
  }

  /** The checksum that a chunk must have. */
  final long checksum(int chunk) {
    return chunks.checksums().get(chunk);
  }

  /**
   * Copies chunks from the first on, and checks them.
   *
   * @param targets memory of each chunk's length; null = the chunk is passed over
   * @param helpers may take a part in it
   * @return what became of each
   */
  final List<Copied> copyTo(List<@Nullable MemorySegment> targets, CopyHelpers helpers) {
    Copied[] copied = new Copied[targets.size()];
    IntConsumer one = chunk -> copied[chunk] = copyChecked(chunk, targets.get(chunk));
    if (copiesInAnyOrder() && bytesOf(targets) >= WORTH_HELP_BYTES) {
      helpers.run(targets.size(), one);
    } else {
      IntStream.range(0, targets.size()).forEach(one);
    }
    return List.of(copied);
  }

  private static long bytesOf(List<@Nullable MemorySegment> targets) {
    return targets.stream().filter(Objects::nonNull).mapToLong(MemorySegment::byteSize).sum();
  }

  private Copied copyChecked(int chunk, @Nullable MemorySegment target) {
    if (target == null) {
      return Copied.SKIPPED;
    }
    ChunkChecksum sum = new ChunkChecksum();
    Copied copied = copy(chunk, target, sum);
    return copied == Copied.RIGHT && sum.value() != checksum(chunk) ? Copied.HARMED : copied;
  }

  /** Whether several chunks may be copied at once, by several threads. */
  abstract boolean copiesInAnyOrder();

  /**
   * Copies a chunk.
   *
   * @param sum gets its bytes, in order
   * @return not right if these bytes can't be meant, whatever their sum is
   */
  abstract Copied copy(int chunk, MemorySegment target, ChunkChecksum sum);

  @Override
  public abstract void close();
}

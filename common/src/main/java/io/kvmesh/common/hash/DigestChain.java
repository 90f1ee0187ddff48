package io.kvmesh.common.hash;

import io.kvmesh.common.key.ChunkHash;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The digest of the written form of {@code (prefix, tokens, ())}. */
final class DigestChain implements HashChain {

  private final ValueWriter writer;
  private final Digest digest;
  private final DigestWidth width;
  private final ThirdElement third;
  private long prefix;
  private byte @Nullable [] rawPrefix;

  DigestChain(
      ValueWriter writer, Digest digest, DigestWidth width, ThirdElement third, String seed) {
    this.writer = writer;
    this.digest = digest;
    this.width = width;
    this.third = third;
    if (!seed.isEmpty()) {
      writer.start();
      writer.text(seed);
      finish();
    }
  }

  @Override
  public ChunkHash next(long[] tokens, int from, int to) {
    int elements = third == ThirdElement.ABSENT ? 2 : 3;
    writer.start();
    writer.startTuple(elements);
    writePrefix();
    writeTokens(tokens, from, to);
    switch (third) {
      case EMPTY_TUPLE -> {
        writer.startTuple(0);
        writer.endTuple(0);
      }
      case NONE -> writer.none();
      case ABSENT -> {}
    }
    writer.endTuple(elements);
    return finish();
  }

  private void writePrefix() {
    if (rawPrefix == null) {
      writer.unsigned(prefix);
    } else {
      writer.bytes(rawPrefix);
    }
  }

  private void writeTokens(long[] tokens, int from, int to) {
    writer.startTuple(to - from);
    for (int i = from; i < to; i++) {
      writer.unsigned(tokens[i]);
    }
    writer.endTuple(to - from);
  }

  /** Ends what is written; its hash is the prefix of what follows. */
  private ChunkHash finish() {
    int length = writer.finish();
    byte[] bytes = digest.of(writer.buffer(), length);
    if (width == DigestWidth.RAW) {
      rawPrefix = bytes;
      return ChunkHash.ofBytes(bytes);
    }
    int at = width == DigestWidth.FIRST_8 ? 0 : bytes.length - Long.BYTES;
    prefix = ByteBuffer.wrap(bytes).getLong(at);
    return ChunkHash.ofUnsigned(prefix);
  }
}

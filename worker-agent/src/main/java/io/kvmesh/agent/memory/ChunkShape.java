package io.kvmesh.agent.memory;

import java.util.List;
import java.util.Objects;

/**
 * How many values a chunk holds, in what order, and so how many bytes: exactly, or an
 * ArithmeticException where a long can't count them.
 *
 * @param layers of the model on this rank; 1 where the format knows no layers
 * @param tokens in the chunk; in the binary formats, bytes
 * @param hidden values of one token in one layer, for keys and values each: KV heads times head
 *     size, or the size of MLA's latent head; 1 in the binary formats
 */
public record ChunkShape(MemoryFormat format, Dtype dtype, int layers, int tokens, int hidden) {

  /** Checks that the format can have this shape. */
  public ChunkShape {
    if (format == MemoryFormat.UNDEFINED) {
      throw new IllegalArgumentException("A chunk of format UNDEFINED has no shape");
    }
    if (layers < 1 || tokens < 1 || hidden < 1) {
      throw new IllegalArgumentException(
          "A chunk has at least 1 layer, token and value, got %d layers, %d tokens, hidden %d"
              .formatted(layers, tokens, hidden));
    }
    boolean binary = format == MemoryFormat.BINARY || format == MemoryFormat.BINARY_BUFFER;
    if ((!format.isKv() && layers > 1) || (binary && (hidden > 1 || dtype.bytes() > 1))) {
      throw new IllegalArgumentException(
          "%s can't have %d layers with hidden %d of %s"
              .formatted(format, layers, hidden, dtype.keyName()));
    }
  }

  /** Of all layers. */
  public long bytes() {
    return Math.multiplyExact(layers, bytesOfLayer());
  }

  /** Of one layer, keys and values. */
  public long bytesOfLayer() {
    long ofToken = Math.multiplyExact((long) parts() * dtype.bytes(), hidden);
    return Math.multiplyExact(ofToken, tokens);
  }

  /**
   * Where the layer begins in the chunk's bytes, in a format in which it lies in one piece.
   *
   * @throws IllegalStateException in KV_2LTD, where all keys come before all values
   */
  public long offsetOfLayer(int layer) {
    Objects.checkIndex(layer, layers);
    if (format == MemoryFormat.KV_2LTD) {
      throw new IllegalStateException("A layer of KV_2LTD isn't in one piece");
    }
    return layer * bytesOfLayer();
  }

  /** Lengths of an object's dimensions, outermost first; of one layer where it is layerwise. */
  public List<Integer> dims() {
    return format.dims(layers, tokens, hidden);
  }

  /**
   * The same with another number of tokens: the last chunk of a prompt may be a part of one.
   *
   * @param some at least 1, at most those of this shape
   */
  public ChunkShape ofTokens(int some) {
    if (some < 1 || some > tokens) {
      throw new IllegalArgumentException(
          "A part of a chunk of %d tokens has 1 to as many, got %d".formatted(tokens, some));
    }
    return new ChunkShape(format, dtype, layers, some, hidden);
  }

  /** Keys and values, or one thing. */
  private int parts() {
    return format == MemoryFormat.KV_2LTD || format.isLayerwise() ? 2 : 1;
  }
}

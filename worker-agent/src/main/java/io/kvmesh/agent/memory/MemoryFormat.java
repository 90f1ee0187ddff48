package io.kvmesh.agent.memory;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Order of the values in an object of memory, as LMCache numbers and names it. An object is a whole
 * chunk, or where {@link #isLayerwise} one layer of it.
 */
public enum MemoryFormat {
  /** No order is known. */
  UNDEFINED(0, 0),
  /** [2, layers, tokens, hidden]. */
  KV_2LTD(1, 2),
  /** [tokens, 2, hidden], one layer. */
  KV_T2D(2, 1),
  /** [2, tokens, hidden], one layer. */
  KV_2TD(3, 0),
  /** Bytes. */
  BINARY(4, 0),
  /** Bytes in a buffer of their own. */
  BINARY_BUFFER(5, 0),
  /** [1, layers, tokens, head]: keys and values are one latent vector. */
  KV_MLA_FMT(6, 2),
  /** [tokens, hidden] of an encoder. */
  EC_TD(7, 0),
  /** [tokens, hidden] of hidden states. */
  HS_TD(8, 0);

  private final int value;
  private final int tokenDim;

  MemoryFormat(int value, int tokenDim) {
    this.value = value;
    this.tokenDim = tokenDim;
  }

  /** Its number on the wire. */
  public int value() {
    return value;
  }

  /**
   * What LMCache answers for the dimension that counts tokens. Of KV_T2D and KV_2TD it isn't the
   * axis that holds them; there {@link ChunkShape#tokens} tells.
   */
  public int tokenDim() {
    return tokenDim;
  }

  /** Whether an object holds one layer, all of it in one piece. */
  public boolean isLayerwise() {
    return this == KV_T2D || this == KV_2TD;
  }

  /** Whether it orders keys and values of a model. */
  public boolean isKv() {
    return this == KV_2LTD || isLayerwise() || this == KV_MLA_FMT;
  }

  /** The format of that number, if there is one. */
  public static Optional<MemoryFormat> ofValue(int value) {
    return Arrays.stream(values()).filter(format -> format.value == value).findFirst();
  }

  /** The format of that name, in capitals as above. */
  public static Optional<MemoryFormat> ofName(String name) {
    return Arrays.stream(values()).filter(format -> format.name().equals(name)).findFirst();
  }

  /** Lengths of an object's dimensions, outermost first. */
  List<Integer> dims(int layers, int tokens, int hidden) {
    return switch (this) {
      case UNDEFINED -> List.of();
      case KV_2LTD -> List.of(2, layers, tokens, hidden);
      case KV_T2D -> List.of(tokens, 2, hidden);
      case KV_2TD -> List.of(2, tokens, hidden);
      case BINARY, BINARY_BUFFER -> List.of(tokens, 0, 0, 0);
      case KV_MLA_FMT -> List.of(1, layers, tokens, hidden);
      case EC_TD, HS_TD -> List.of(tokens, hidden);
    };
  }
}

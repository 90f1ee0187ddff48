package io.kvmesh.agent.cache;

import io.kvmesh.agent.memory.ChunkShape;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Cuts bodies into layers, where the shape says where these lie. Any thread. */
final class LayerSlices {

  private final @Nullable ChunkShape shape;

  LayerSlices(@Nullable ChunkShape shape) {
    this.shape = shape;
  }

  /**
   * One layer of a body.
   *
   * @throws IllegalStateException if the shape isn't known, or its layers aren't in one piece
   */
  MemorySegment layer(MemorySegment body, int tokens, int layer) {
    if (shape == null) {
      throw new IllegalStateException("The shape of chunks isn't known, asked for layer " + layer);
    }
    ChunkShape exact = tokens == shape.tokens() ? shape : shape.ofTokens(tokens);
    return body.asSlice(exact.offsetOfLayer(layer), exact.bytesOfLayer());
  }
}

package io.kvmesh.agent.config;

import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.agent.memory.Dtype;
import io.kvmesh.agent.memory.MemoryFormat;
import java.util.Optional;
import org.springframework.util.unit.DataSize;

/** What the settings say, and what follows from them, of the bytes of a full chunk. */
final class ModelShape {

  private final AgentSettings.Model model;

  ModelShape(AgentSettings.Model model) {
    this.model = model;
  }

  /** Without a format in the settings, as LMCache picks it. */
  MemoryFormat formatOfMode() {
    if (model.mla()) {
      return MemoryFormat.KV_MLA_FMT;
    }
    if (model.layerwise()) {
      return model.blending() ? MemoryFormat.KV_2TD : MemoryFormat.KV_T2D;
    }
    return MemoryFormat.KV_2LTD;
  }

  /** The format in the settings, or else that of the mode. */
  MemoryFormat format() {
    return MemoryFormat.ofName(model.memoryFormat())
        .filter(MemoryFormat::isKv)
        .orElseGet(this::formatOfMode);
  }

  /** Known where the settings tell layers and hidden size. */
  Optional<ChunkShape> shape() {
    if (model.layers() < 1 || model.hiddenSize() < 1 || model.chunkTokens() < 1) {
      return Optional.empty();
    }
    return Dtype.ofName(model.dtype())
        .map(
            dtype ->
                new ChunkShape(
                    format(), dtype, model.layers(), model.chunkTokens(), model.hiddenSize()));
  }

  /** As the shape says, or else the settings. */
  DataSize pageBytes() {
    return shape().map(ChunkShape::bytes).map(DataSize::ofBytes).orElse(model.pageBytes());
  }
}

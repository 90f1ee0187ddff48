package io.kvmesh.agent.config;

import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.agent.memory.Dtype;
import io.kvmesh.agent.memory.MemoryFormat;
import io.kvmesh.common.settings.SettingFaults;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.util.unit.DataSize;

/** What the settings of a chunk's bytes must be. Adds to the faults, never throws. */
final class ModelRules {

  private static final DataSize LARGEST_PAGE = DataSize.ofMegabytes(512);
  private static final int MOST_LAYERS = 10_000;
  private static final int LARGEST_HIDDEN = 1 << 20;

  private final SettingFaults faults;
  private final AgentSettings.Model model;
  private final ModelShape shape;

  ModelRules(SettingFaults faults, AgentSettings.Model model) {
    this.faults = faults;
    this.model = model;
    this.shape = new ModelShape(model);
  }

  void check() {
    faults.requireRange("model.chunk-tokens", model.chunkTokens(), 1, 1 << 20);
    checkFormat();
    checkSizes();
    checkPage();
  }

  private void checkFormat() {
    faults.require(
        model.layerwise() || !model.blending(),
        "model.blending",
        model.blending(),
        "must not be without kvmesh.model.layerwise");
    if (model.memoryFormat().isEmpty()) {
      return;
    }
    faults.require(
        MemoryFormat.ofName(model.memoryFormat()).filter(MemoryFormat::isKv).isPresent(),
        "model.memory-format",
        model.memoryFormat(),
        "must be " + names(MemoryFormat.values()) + ", or empty");
    faults.require(
        (!model.layerwise() && !model.mla()) || shape.format() == shape.formatOfMode(),
        "model.memory-format",
        model.memoryFormat(),
        "must be %s with kvmesh.model.layerwise = %s, blending = %s, mla = %s, or be left out"
            .formatted(shape.formatOfMode(), model.layerwise(), model.blending(), model.mla()));
  }

  private static String names(MemoryFormat[] formats) {
    return Arrays.stream(formats)
        .filter(MemoryFormat::isKv)
        .map(Enum::name)
        .collect(Collectors.joining(", "));
  }

  private void checkSizes() {
    faults.requireRange("model.layers", model.layers(), 0, MOST_LAYERS);
    faults.requireRange("model.hidden-size", model.hiddenSize(), 0, LARGEST_HIDDEN);
    faults.require(
        model.layers() == 0 || model.hiddenSize() != 0,
        "model.hidden-size",
        model.hiddenSize(),
        "must be given, as kvmesh.model.layers is (%d)".formatted(model.layers()));
    faults.require(
        model.hiddenSize() == 0 || model.layers() != 0,
        "model.layers",
        model.layers(),
        "must be given, as kvmesh.model.hidden-size is (%d)".formatted(model.hiddenSize()));
    faults.require(
        model.layers() == 0 || Dtype.ofName(model.dtype()).isPresent(),
        "model.dtype",
        model.dtype(),
        "must be one whose size is known, as kvmesh.model.layers is given: "
            + Arrays.stream(Dtype.values()).map(Dtype::keyName).collect(Collectors.joining(", ")));
  }

  private void checkPage() {
    Optional<ChunkShape> known = shape.shape();
    known.ifPresent(
        it ->
            faults.require(
                model.pageBytes().toBytes() == 0 || model.pageBytes().toBytes() == it.bytes(),
                "model.page-bytes",
                model.pageBytes(),
                ("must be %dB, which kvmesh.model.layers = %d and hidden-size = %d give in %s with"
                        + " %d tokens of %s, or be left out")
                    .formatted(
                        it.bytes(),
                        it.layers(),
                        it.hidden(),
                        it.format(),
                        it.tokens(),
                        it.dtype().keyName())));
    faults.requireRange("model.page-bytes", shape.pageBytes(), DataSize.ofBytes(1), LARGEST_PAGE);
  }
}

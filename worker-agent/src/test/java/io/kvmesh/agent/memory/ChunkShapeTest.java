package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of formats, and byte counts worked out by hand. */
class ChunkShapeTest {

  @ParameterizedTest
  @CsvSource({
    "0, UNDEFINED, 0",
    "1, KV_2LTD, 2",
    "2, KV_T2D, 1",
    "3, KV_2TD, 0",
    "4, BINARY, 0",
    "5, BINARY_BUFFER, 0",
    "6, KV_MLA_FMT, 2",
    "7, EC_TD, 0",
    "8, HS_TD, 0"
  })
  void formats_areNumberedAndNamedAsLmCacheDoes(int value, String name, int tokenDim) {
    MemoryFormat format = MemoryFormat.ofValue(value).orElseThrow();
    assertThat(format.name()).isEqualTo(name);
    assertThat(format.value()).isEqualTo(value);
    assertThat(format.tokenDim()).isEqualTo(tokenDim);
    assertThat(MemoryFormat.ofName(name)).contains(format);
  }

  @Test
  void otherNumbersAndNames_areNoFormats() {
    assertThat(MemoryFormat.ofValue(9)).isEmpty();
    assertThat(MemoryFormat.ofValue(-1)).isEmpty();
    assertThat(MemoryFormat.ofName("kv_2ltd")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "half, 2",
    "bfloat16, 2",
    "float, 4",
    "double, 8",
    "uint8, 1",
    "int8, 1",
    "int16, 2",
    "int32, 4",
    "int64, 8",
    "bool, 1",
    "fp8_e4m3fn, 1",
    "fp8_e4m3fnuz, 1",
    "fp8_e5m2, 1",
    "fp8_e5m2fnuz, 1"
  })
  void dtypes_haveTheNamesOfKeys(String name, int bytes) {
    Dtype dtype = Dtype.ofName(name).orElseThrow();
    assertThat(dtype.keyName()).isEqualTo(name);
    assertThat(dtype.bytes()).isEqualTo(bytes);
  }

  @Test
  void otherNamesOfDtypes() {
    assertThat(Dtype.ofName("float16")).contains(Dtype.HALF);
    assertThat(Dtype.ofName("float32")).contains(Dtype.FLOAT);
    assertThat(Dtype.ofName("float64")).contains(Dtype.DOUBLE);
    assertThat(Dtype.ofName("fp8")).isEmpty();
    assertThat(Dtype.values()).hasSize(14);
  }

  /**
   * Llama-3.1-8B: 32 layers, 8 KV heads of 128. DeepSeek-V3: 61 layers, a latent head of 512 + 64.
   */
  @ParameterizedTest
  @CsvSource({
    "KV_2LTD, bfloat16, 32, 256, 1024, 33554432, 1048576",
    "KV_T2D, bfloat16, 32, 256, 1024, 33554432, 1048576",
    "KV_2TD, bfloat16, 32, 256, 1024, 33554432, 1048576",
    "KV_2LTD, fp8_e4m3fn, 32, 256, 1024, 16777216, 524288",
    "KV_2LTD, bfloat16, 32, 17, 1024, 2228224, 69632",
    "KV_MLA_FMT, bfloat16, 61, 256, 576, 17989632, 294912",
    "EC_TD, half, 1, 100, 4096, 819200, 819200",
    "HS_TD, float, 1, 3, 5, 60, 60",
    "BINARY, uint8, 1, 1000, 1, 1000, 1000",
    "BINARY_BUFFER, uint8, 1, 1, 1, 1, 1"
  })
  void bytes_areExact(
      MemoryFormat format, String dtype, int layers, int tokens, int hidden, long all, long one) {
    ChunkShape shape =
        new ChunkShape(format, Dtype.ofName(dtype).orElseThrow(), layers, tokens, hidden);
    assertThat(shape.bytes()).isEqualTo(all);
    assertThat(shape.bytesOfLayer()).isEqualTo(one);
  }

  @Test
  void dims_areThoseOfTheTable() {
    assertThat(dims(MemoryFormat.KV_2LTD, 3)).isEqualTo(List.of(2, 3, 5, 7));
    assertThat(dims(MemoryFormat.KV_T2D, 3)).isEqualTo(List.of(5, 2, 7));
    assertThat(dims(MemoryFormat.KV_2TD, 3)).isEqualTo(List.of(2, 5, 7));
    assertThat(dims(MemoryFormat.KV_MLA_FMT, 3)).isEqualTo(List.of(1, 3, 5, 7));
    assertThat(dims(MemoryFormat.EC_TD, 1)).isEqualTo(List.of(5, 7));
    assertThat(dims(MemoryFormat.HS_TD, 1)).isEqualTo(List.of(5, 7));
    assertThat(new ChunkShape(MemoryFormat.BINARY, Dtype.UINT8, 1, 9, 1).dims())
        .isEqualTo(List.of(9, 0, 0, 0));
  }

  private static List<Integer> dims(MemoryFormat format, int layers) {
    return new ChunkShape(format, Dtype.HALF, layers, 5, 7).dims();
  }

  @ParameterizedTest
  @EnumSource(names = {"KV_2LTD", "KV_T2D", "KV_2TD", "KV_MLA_FMT"})
  void bytes_areTheProductOfTheDimensions(MemoryFormat format) {
    List<Dtype> dtypes = List.of(Dtype.values());
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      Dtype dtype = dtypes.get(random.nextInt(dtypes.size()));
      ChunkShape shape =
          new ChunkShape(
              format,
              dtype,
              1 + random.nextInt(128),
              1 + random.nextInt(2048),
              1 + random.nextInt(16_384));
      long values = shape.dims().stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> a * b);
      long objects = format.isLayerwise() ? shape.layers() : 1;
      assertThat(shape.bytes()).as("seed %d", seed).isEqualTo(objects * values * dtype.bytes());
    }
  }

  @Test
  void layers_followEachOtherWhereTheyAreInOnePiece() {
    for (MemoryFormat format :
        List.of(MemoryFormat.KV_T2D, MemoryFormat.KV_2TD, MemoryFormat.KV_MLA_FMT)) {
      ChunkShape shape = new ChunkShape(format, Dtype.BFLOAT16, 4, 16, 8);
      long[] offsets = new long[4];
      Arrays.setAll(offsets, shape::offsetOfLayer);
      long one = shape.bytesOfLayer();
      assertThat(offsets).containsExactly(0, one, 2 * one, 3 * one);
      assertThatThrownBy(() -> shape.offsetOfLayer(4))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    ChunkShape apart = new ChunkShape(MemoryFormat.KV_2LTD, Dtype.BFLOAT16, 4, 16, 8);
    assertThatThrownBy(() -> apart.offsetOfLayer(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPart_hasItsShareOfTheBytes() {
    ChunkShape full = new ChunkShape(MemoryFormat.KV_2LTD, Dtype.BFLOAT16, 32, 256, 1024);
    assertThat(full.ofTokens(1).bytes()).isEqualTo(full.bytes() / 256);
    assertThat(full.ofTokens(256)).isEqualTo(full);
    assertThatThrownBy(() -> full.ofTokens(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> full.ofTokens(257))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("257");
  }

  @Test
  void whatAFormatCannotBe_isRefused() {
    refused(MemoryFormat.UNDEFINED, Dtype.HALF, 1, 1, 1);
    refused(MemoryFormat.KV_2LTD, Dtype.HALF, 0, 1, 1);
    refused(MemoryFormat.KV_2LTD, Dtype.HALF, 1, 0, 1);
    refused(MemoryFormat.KV_2LTD, Dtype.HALF, 1, 1, -1);
    refused(MemoryFormat.EC_TD, Dtype.HALF, 2, 1, 1);
    refused(MemoryFormat.BINARY, Dtype.UINT8, 1, 1, 2);
    refused(MemoryFormat.BINARY_BUFFER, Dtype.HALF, 1, 1, 1);
  }

  private static void refused(MemoryFormat format, Dtype dtype, int layers, int tokens, int hid) {
    assertThatThrownBy(() -> new ChunkShape(format, dtype, layers, tokens, hid))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void moreThanALongCounts_isAnError() {
    int most = Integer.MAX_VALUE;
    ChunkShape huge = new ChunkShape(MemoryFormat.KV_2LTD, Dtype.DOUBLE, most, most, most);
    assertThatThrownBy(huge::bytes).isInstanceOf(ArithmeticException.class);
  }
}

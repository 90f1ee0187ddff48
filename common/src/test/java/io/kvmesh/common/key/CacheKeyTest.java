package io.kvmesh.common.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.wire.codec.GoldenFile;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

class CacheKeyTest {

  @TestFactory
  Stream<DynamicTest> goldenKeys_bothWays_sameTextAndParts() {
    return GoldenFile.read("cache_engine_keys.json", "vectors")
        .map(
            vector ->
                DynamicTest.dynamicTest(vector.path("name").asString(), () -> checkGolden(vector)));
  }

  private static void checkGolden(JsonNode vector) {
    String text = vector.path("string").asString();
    List<Tag> tags = new ArrayList<>();
    vector
        .path("tags")
        .forEach(tag -> tags.add(new Tag(tag.path(0).asString(), tag.path(1).asString())));
    Keyspace keyspace =
        Keyspace.of(
            vector.path("model").asString(),
            vector.path("world_size").asInt(),
            vector.path("worker_id").asInt(),
            vector.path("dtype").asString(),
            tags);
    ChunkKey chunk = new ChunkKey(keyspace, hash(vector.path("chunk_hash")));
    JsonNode layer = vector.path("layer_id");
    CacheKey key = layer.isNull() ? chunk : new LayerKey(chunk, layer.asInt());

    assertThat(key).hasToString(text);
    assertThat(CacheKey.parse(text)).isEqualTo(key).hasSameHashCodeAs(key);
    assertThat(CacheKey.parse(text)).hasToString(text);
  }

  private static ChunkHash hash(JsonNode json) {
    if (json.isObject()) {
      return ChunkHash.ofBytes(HexFormat.of().parseHex(json.path("$hex").asString()));
    }
    if (json.bigIntegerValue().bitLength() > Long.SIZE) {
      return ChunkHash.parse(json.bigIntegerValue().toString(16));
    }
    return json.bigIntegerValue().signum() < 0
        ? ChunkHash.ofSigned(json.bigIntegerValue().longValueExact())
        : ChunkHash.ofUnsigned(json.bigIntegerValue().longValue());
  }

  @Test
  void parse_formattedRandomKeys_areTheSame() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      CacheKey key = randomKey(random, i);
      assertThat(CacheKey.parse(key.toString())).as("seed %d", seed).isEqualTo(key);
      assertThat(CacheKey.parse(key.toString())).hasToString(key.toString());
    }
  }

  private static CacheKey randomKey(Random random, int i) {
    List<Tag> tags = new ArrayList<>();
    for (int t = random.nextInt(3); t > 0; t--) {
      tags.add(new Tag("name" + t, randomText(random, "@")));
    }
    Keyspace keyspace =
        Keyspace.of(
            "m" + randomText(random, "@"),
            1 + random.nextInt(1000),
            random.nextInt(1000),
            List.of("half", "bfloat16", "float", "uint8", "fp8_e4m3fn").get(random.nextInt(5)),
            tags);
    List<Long> special = List.of(0L, 1L, Long.MAX_VALUE, -1L, Long.MIN_VALUE);
    long bits = i < special.size() ? special.get(i) : random.nextLong();
    ChunkHash hash = random.nextBoolean() ? ChunkHash.ofSigned(bits) : ChunkHash.ofUnsigned(bits);
    ChunkKey chunk = new ChunkKey(keyspace, hash);
    return random.nextInt(4) == 0 ? new LayerKey(chunk, random.nextInt(200)) : chunk;
  }

  private static String randomText(Random random, String forbidden) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append((char) (0x20 + random.nextInt(0x5f)));
    }
    return text.toString().replace(forbidden, "");
  }

  @Test
  void equals_sameBitsOtherSign_oneKey() {
    ChunkKey signed = ChunkKey.parse("m@1@0@-1@half");
    ChunkKey unsigned = ChunkKey.parse("m@1@0@ffffffffffffffff@half");

    assertThat(signed).isEqualTo(unsigned).hasSameHashCodeAs(unsigned);
  }

  @Test
  void equals_anyOtherPart_anotherKey() {
    ChunkKey key = ChunkKey.parse("m@2@1@ff@half@user%a");
    for (String other :
        List.of(
            "n@2@1@ff@half@user%a",
            "m@3@1@ff@half@user%a",
            "m@2@0@ff@half@user%a",
            "m@2@1@fe@half@user%a",
            "m@2@1@ff@bfloat16@user%a",
            "m@2@1@ff@half@user%b",
            "m@2@1@ff@half@user%a@org%x",
            "m@2@1@ff@half")) {
      assertThat(ChunkKey.parse(other)).as(other).isNotEqualTo(key);
    }
  }

  @Test
  void parse_oddTagValues_kept() {
    for (String value : List.of("", "a%b", "%", "7", " ", "ü/√\"'\\", "a=b;c")) {
      ChunkKey key = ChunkKey.parse("m@1@0@ff@half@user%" + value);
      assertThat(key.keyspace().tags()).containsExactly(new Tag("user", value));
      assertThat(key).hasToString("m@1@0@ff@half@user%" + value);
    }
  }

  @Test
  void parse_dtypeByItsOtherName_isTheSameKey() {
    assertThat(ChunkKey.parse("m@1@0@ff@float16")).isEqualTo(ChunkKey.parse("m@1@0@ff@half"));
    assertThat(Keyspace.of("m", 1, 0, "float32", List.of())).hasToString("m@1@0@float");
  }

  @Test
  void parse_noKey_refusedWithTheReason() {
    assertRefused("", "a key is model@world_size@rank@hash@dtype");
    assertRefused("m@1@0@ff", "a key is model@world_size@rank@hash@dtype");
    assertRefused("a@b@1@0@ff@half", "the model, which has no '@'");
    assertRefused("vllm@m@1@0@ff@half", "the model, which has no '@'");
    assertRefused("m@-1@0@ff@half", "world size");
    assertRefused("m@0@0@ff@half", "world size");
    assertRefused("m@1@-1@ff@half", "rank");
    assertRefused("m@1@99999999999@ff@half", "rank");
    assertRefused("m@1@0@xyz@half", "hexadecimal");
    assertRefused("m@1@0@@half", "hexadecimal");
    assertRefused("@1@0@ff@half", "model");
    assertRefused("m@1@0@ff@", "dtype");
    assertRefused("m@1@0@ff@half@tag", "name%value");
    assertRefused("m@1@0@ff@half@7@8", "name%value");
    assertRefused("m@1@0@ff@half@", "name%value");
    assertRefused("m@1@0@ff@half@99999999999", "layer");
    assertRefused("m@1@0@ff@half@a%1@a%2", "once");
    assertRefused("m\u0000@1@0@ff@half", "control character");
  }

  private static void assertRefused(String text, String reason) {
    assertThatThrownBy(() -> CacheKey.parse(text))
        .as(text)
        .isInstanceOf(KeyFormatException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void chunkKeyParse_layerKey_refused() {
    assertThatThrownBy(() -> ChunkKey.parse("m@1@0@ff@half@3"))
        .isInstanceOf(KeyFormatException.class)
        .hasMessageContaining("layer");
  }

  @Test
  void of_partsThatCantBeWritten_refused() {
    for (String bad : List.of("", "a@b", "a\nb")) {
      assertThatThrownBy(() -> Keyspace.of(bad, 1, 0, "half", List.of()))
          .isInstanceOf(KeyFormatException.class);
      assertThatThrownBy(() -> Keyspace.of("m", 1, 0, bad, List.of()))
          .isInstanceOf(KeyFormatException.class);
    }
    assertThatThrownBy(() -> new Tag("a%b", "c")).isInstanceOf(KeyFormatException.class);
    assertThatThrownBy(() -> new Tag("a", "c@d")).isInstanceOf(KeyFormatException.class);
  }
}

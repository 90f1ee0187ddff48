package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.vllm.AllBlocksCleared;
import io.kvmesh.common.wire.vllm.BlockHash;
import io.kvmesh.common.wire.vllm.BlockRemoved;
import io.kvmesh.common.wire.vllm.BlockStored;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEvent.Style;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import io.kvmesh.common.wire.vllm.UnknownEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

class KvEventCodecTest {

  private static final String FILE = "vllm_events.json";
  private static final HexFormat HEX = HexFormat.of();
  private static final long PARENT = 0xd4f1c3b2a1908776L;

  private final KvEventCodec codec = new KvEventCodec();

  private static Stream<JsonNode> vectors() {
    return GoldenFile.read(FILE, "vectors");
  }

  private static byte[] vector(String name, String style) {
    return vectors()
        .filter(it -> it.path("name").asString().equals(name))
        .filter(it -> it.path("style").asString().equals(style))
        .map(it -> HEX.parseHex(it.path("msgpack_hex").asString()))
        .findFirst()
        .orElseThrow();
  }

  /** Those of other versions have fewer or more fields than we write. */
  private static boolean isOfOurVersion(JsonNode vector) {
    String name = vector.path("name").asString();
    return !name.startsWith("old_") && !name.startsWith("future_");
  }

  @TestFactory
  Stream<DynamicTest> goldenVectors_decoded_andWrittenAgain() {
    return vectors()
        .map(
            vector ->
                DynamicTest.dynamicTest(
                    vector.path("name").asString() + " " + vector.path("style").asString(),
                    () -> check(vector)));
  }

  private void check(JsonNode vector) throws Exception {
    String hex = vector.path("msgpack_hex").asString();
    KvEventBatch batch = codec.decode(HEX.parseHex(hex));
    if (isOfOurVersion(vector)) {
      Style style = Style.valueOf(vector.path("style").asString().toUpperCase(Locale.ROOT));
      assertThat(HEX.formatHex(codec.encode(batch, style))).isEqualTo(hex);
    }
    for (Style style : Style.values()) {
      assertThat(codec.decode(codec.encode(batch, style))).isEqualTo(batch);
    }
  }

  @Test
  void bothStyles_sayTheSame() throws Exception {
    for (String name : List.of("stored_min", "stored_bytes_hash", "removed", "cleared")) {
      assertThat(codec.decode(vector(name, "array")).events())
          .isEqualTo(codec.decode(vector(name, "map")).events());
    }
  }

  private static BlockStored stored(
      long hash, @Nullable BlockHash parent, @Nullable String medium) {
    return new BlockStored(
        List.of(BlockHash.of(hash)),
        parent,
        List.of(1L, 2L, 3L, 4L),
        4,
        null,
        medium,
        null,
        null,
        null,
        null,
        null);
  }

  private KvEvent only(String name, String style) throws Exception {
    KvEventBatch batch = codec.decode(vector(name, style));
    assertThat(batch.events()).hasSize(1);
    return batch.events().getFirst();
  }

  @Test
  void stored_hasItsFields() throws Exception {
    assertThat(only("stored_min", "map")).isEqualTo(stored(PARENT, null, null));

    BlockStored full = (BlockStored) only("stored_extra_keys", "array");
    assertThat(full.blockHashes())
        .containsExactly(
            BlockHash.of(PARENT), BlockHash.of(42), BlockHash.of(-1), BlockHash.of(Long.MIN_VALUE));
    assertThat(full.tokenIds()).hasSize(64).containsOnly(128_000L);
    assertThat(full.blockSize()).isEqualTo(16);
    assertThat(full.medium()).isEqualTo("GPU");
    assertThat(full.extraKeys()).isEqualTo(Arrays.asList(null, List.of("salt"), null, null));
    assertThat(full.groupIdx()).isZero();
    assertThat(full.kvCacheSpecKind()).isEqualTo("full_attention");
    assertThat(full.kvCacheSpecSlidingWindow()).isNull();
  }

  @Test
  void hashOfBytes_isIndexedByItsLastEight() throws Exception {
    BlockStored stored = (BlockStored) only("stored_bytes_hash", "array");

    BlockHash hash = stored.blockHashes().getFirst();
    assertThat(hash.digest()).isEqualTo(Bytes.of(HEX.parseHex(digest())));
    assertThat(hash.bits()).isEqualTo(0x18191a1b1c1d1e1fL);
    assertThat(stored.parentBlockHash())
        .isNotNull()
        .extracting(BlockHash::bits)
        .isEqualTo(0x0706050403020100L);
  }

  private static String digest() {
    return "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  }

  @Test
  void olderAndNewerForms_asFarAsTheyGo() throws Exception {
    assertThat(codec.decode(vector("old_medium_only", "array")).events())
        .containsExactly(
            stored(42, BlockHash.of(41), "GPU"),
            new BlockRemoved(List.of(BlockHash.of(40)), "GPU", null),
            new AllBlocksCleared());
    assertThat(only("future_extra_trailing", "array"))
        .isEqualTo(new BlockRemoved(List.of(BlockHash.of(40)), "GPU", null));
    assertThat(codec.decode(HEX.parseHex("920090")).dataParallelRank()).isNull();
    assertThat(events("9183a474797065ac426c6f636b52656d6f766564a56c6174657201" + hashes("912a")))
        .containsExactly(new BlockRemoved(List.of(BlockHash.of(42)), null, null));
    String later = "81a474797065a54c61746572";
    String cleared = "81a474797065b0416c6c426c6f636b73436c6561726564";
    assertThat(events("92" + later + cleared))
        .containsExactly(new UnknownEvent("Later"), new AllBlocksCleared());
  }

  private List<KvEvent> events(String hex) throws Exception {
    return codec.decode(HEX.parseHex("9200" + hex)).events();
  }

  private static String hashes(String value) {
    return HEX.formatHex("\u00acblock_hashes".getBytes(StandardCharsets.ISO_8859_1)) + value;
  }

  private void refused(String hex, Code code, String message) {
    WireFormatException e =
        catchThrowableOfType(
            WireFormatException.class, () -> codec.decode(HEX.parseHex("9200" + hex)));
    assertThat(e).as(hex).isNotNull().hasMessageStartingWith(message);
    assertThat(e.code()).isEqualTo(code);
  }

  @Test
  void malformed_refusedWithFieldAndRule() {
    String removed = "ac426c6f636b52656d6f766564";
    refused("c0", Code.WRONG_TYPE, "Expected `array`, got `None` - at `$.events`");
    refused("9107", Code.WRONG_TYPE, "Expected `object | array`, got `int` - at `$.events[0]`");
    refused("9190", Code.MISSING_TYPE, "Expected `array` of at least length 1, got 0");
    refused("9180", Code.MISSING_TYPE, "Object missing required field `type`");
    refused("919107", Code.WRONG_TYPE, "Expected `str`, got `int` - at `$.events[0].type`");
    refused("9191" + removed, Code.WRONG_TYPE, "Expected `array` of at least length 2, got 1");
    refused(
        "9181a474797065" + removed,
        Code.MISSING_FIELD,
        "Object missing required field `block_hashes` - at `$.events[0].block_hashes`");
    refused(
        "9192" + removed + "91c3",
        Code.WRONG_TYPE,
        "Expected `int | bytes`, got `bool` - at `$.events[0].block_hashes[0]`");
    refused(
        "9192" + removed + "91c40100",
        Code.OUT_OF_RANGE,
        "A block hash has 8 to 64 bytes, got 1 - at `$.events[0].block_hashes[0]`");
    refused("9192" + removed + "dd7fffffff", Code.TRUNCATED, "Input data was truncated");
    refused("9192" + removed + "90ff", Code.TRAILING_BYTES, "MessagePack data is malformed");
    refused("90c3", Code.TRAILING_BYTES, "MessagePack data is malformed");
    assertThat(catchThrowableOfType(WireFormatException.class, () -> codec.decode(new byte[0])))
        .hasMessageContaining("truncated");
  }

  @Test
  void unknownEvent_isNotWritten() {
    var batch = new KvEventBatch(0, List.of(new UnknownEvent("Later")), null);

    assertThatThrownBy(() -> codec.encode(batch, Style.MAP))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void frames_areTheGoldenOnes() throws Exception {
    JsonNode golden = GoldenFile.root(FILE).path("frames");
    JsonNode published = golden.path("pub_frames");
    Numbered batch = new Numbered(258, new byte[] {1});

    List<byte[]> frames = KvEventFrames.publication(new byte[0], batch);
    assertThat(HEX.formatHex(frames.getFirst())).isEqualTo(published.path("topic_hex").asString());
    assertThat(HEX.formatHex(frames.get(1)))
        .isEqualTo(published.path("example_seq_258_hex").asString());
    assertThat(KvEventFrames.published(frames)).isEqualTo(batch);
    assertThat(KvEventFrames.replayed(frames)).isEqualTo(batch);

    List<byte[]> request = KvEventFrames.replayRequest(100);
    assertThat(request.stream().map(HEX::formatHex))
        .containsExactlyElementsOf(
            golden.path("replay_request").valueStream().map(JsonNode::asString).toList());

    List<byte[]> end = KvEventFrames.replayAnswer(new Numbered(KvEventFrames.END, new byte[0]));
    assertThat(HEX.formatHex(end.get(1)))
        .isEqualTo(golden.path("replay_end_marker_seq_hex").asString());
    assertThat(KvEventFrames.replayed(end).isEnd()).isTrue();
  }

  @Test
  void malformedFrames_refusedWithFrameAndRule() {
    byte[] none = {};
    assertThatThrownBy(() -> KvEventFrames.published(List.of(none, none)))
        .hasMessageStartingWith("Expected 3 frames, got 2 - at `$`");
    assertThatThrownBy(() -> KvEventFrames.published(List.of(none, new byte[7], none)))
        .hasMessageStartingWith("Expected a sequence of 8 bytes, got 7 - at `$[1]`");
    byte[] end = HEX.parseHex("ffffffffffffffff");
    assertThatThrownBy(() -> KvEventFrames.published(List.of(none, end, none)))
        .hasMessageStartingWith("Expected a sequence of 0 or more, got -1 - at `$[1]`");
    byte[] low = HEX.parseHex("fffffffffffffffe");
    assertThatThrownBy(() -> KvEventFrames.replayed(List.of(none, low, none)))
        .hasMessageStartingWith("Expected a sequence of 0 or more, got -2 - at `$[1]`");
    assertThatThrownBy(() -> KvEventFrames.replayed(List.of(new byte[1], end, none)))
        .hasMessageStartingWith("Expected an empty frame - at `$[0]`");
  }

  @Test
  void manyHashesOfOneByte_areRefused_beforeTheyFillTheHeap() throws Exception {
    DecodeLimits limits = new DecodeLimits(16 << 20, 1000, 64);
    var removed = new BlockRemoved(Collections.nCopies(900, BlockHash.of(1)), "GPU", null);

    assertThat(limits.maxElementsInAll()).isEqualTo(4000);
    KvEventCodec narrow = new KvEventCodec(limits);
    byte[] some = codec.encode(new KvEventBatch(0, Collections.nCopies(4, removed), 0), Style.MAP);
    assertThat(narrow.decode(some).events()).hasSize(4);
    byte[] many = codec.encode(new KvEventBatch(0, Collections.nCopies(5, removed), 0), Style.MAP);
    assertThat(catchThrowableOfType(WireFormatException.class, () -> narrow.decode(many)).code())
        .isEqualTo(Code.LIMIT_EXCEEDED);
  }
}

package io.kvmesh.common.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.codec.GoldenFile;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** What CPython and its libraries computed is what we compute. */
class GoldenHashesTest {

  private static final String FILE = "chunk_hashes.json";
  private static final String COMPUTED = "computed_hashes.json";
  private static final String NO_SEED = "";

  private static final JsonNode TOKENS = GoldenFile.root(FILE).path("tokens");
  private static final JsonNode CHUNK_SIZES = GoldenFile.root(FILE).path("chunk_size");

  private static long[] tokens(JsonNode vector) {
    return TOKENS
        .path(vector.path("tokens").asString())
        .valueStream()
        .mapToLong(JsonNode::longValue)
        .toArray();
  }

  private static TokenChunker chunker(JsonNode vector, String algorithm, String seed) {
    int size = CHUNK_SIZES.path(vector.path("tokens").asString()).intValue();
    return new TokenChunker(ChunkHashing.of(algorithm, seed), size);
  }

  private static DynamicTest test(JsonNode vector, String algorithm, String seed) {
    String name = "%s, seed '%s', tokens %s".formatted(algorithm, seed, vector.path("tokens"));
    return DynamicTest.dynamicTest(
        name,
        () ->
            assertExactly(
                chunker(vector, algorithm, seed).allChunks(tokens(vector)), vector.path("hashes")));
  }

  /** The same numbers, also in their sign, or the same bytes. */
  private static void assertExactly(List<ChunkHash> hashes, JsonNode expected) {
    List<String> texts =
        expected
            .valueStream()
            .map(hash -> hash.isString() ? hash.asString() : hash.bigIntegerValue().toString(16))
            .toList();
    assertThat(hashes).map(ChunkHash::toString).isEqualTo(texts);
  }

  @TestFactory
  Stream<DynamicTest> builtin_chains_sameNumbers() {
    return GoldenFile.read(FILE, "builtin")
        .map(
            vector -> {
              boolean pair = vector.path("form").asString().contains("2-tuple");
              String none = vector.path("none").asString("");
              String version = none.contains("py310") ? "+py310" : "";
              String seed = none.contains("PYTHONHASHSEED=0") ? "0" : NO_SEED;
              return test(vector, pair ? "builtin+pair" : "builtin" + version, seed);
            });
  }

  @TestFactory
  Stream<DynamicTest> builtin_fullChunksOnly_sameNumbers() {
    return GoldenFile.read(FILE, "builtin_save_unfull_false")
        .map(
            vector ->
                DynamicTest.dynamicTest(
                    "tokens " + vector.path("tokens"),
                    () ->
                        assertExactly(
                            chunker(vector, "builtin", NO_SEED).fullChunks(tokens(vector)),
                            vector.path("hashes"))));
  }

  @TestFactory
  Stream<DynamicTest> digests_chains_sameNumbersOrBytes() {
    return Stream.of("sha256_cbor", "xxhash_cbor", "sha256_cbor_64bit")
        .flatMap(
            algorithm ->
                GoldenFile.read(FILE, algorithm)
                    .map(
                        vector -> {
                          boolean raw = vector.path("mode").asString().equals("raw_bytes");
                          String seed = vector.path("seed_string").asString("");
                          return test(vector, algorithm + (raw ? "+raw" : ""), seed);
                        }));
  }

  @TestFactory
  Stream<DynamicTest> seeds_asTexts_sameHashes() {
    return GoldenFile.read(FILE, "str_seed_hashes")
        .map(
            vector -> {
              String seed = vector.path("PYTHONHASHSEED").bigIntegerValue().toString();
              boolean recent = vector.path("python_ge_3_11").booleanValue();
              return DynamicTest.dynamicTest(
                  seed + (recent ? "" : " before 3.11"),
                  () ->
                      assertThat(
                              recent ? PythonHash.ofSeed(seed) : PythonHash.ofSeedBefore311(seed))
                          .isEqualTo(vector.path("hash_of_str_seed").longValue()));
            });
  }

  @Test
  void cbor_inputs_sameBytes() {
    List<String> expected =
        GoldenFile.read(FILE, "cbor_inputs")
            .map(vector -> vector.path("cbor_hex").asString())
            .toList();

    assertThat(expected)
        .containsExactly(
            cbor(out -> triple(out, () -> out.unsigned(0), () -> emptyTuple(out), 1, 2, 3, 4)),
            cbor(
                out ->
                    triple(
                        out,
                        () -> out.unsigned(-1),
                        () -> emptyTuple(out),
                        24,
                        255,
                        256,
                        65536,
                        Integer.MAX_VALUE)),
            cbor(out -> triple(out, () -> out.negative(-5), out::none, 1)),
            cbor(out -> out.text("0")),
            cbor(
                out ->
                    triple(
                        out,
                        () -> out.bytes(filled(32, (byte) 1)),
                        () -> {
                          out.startTuple(1);
                          out.text("salt");
                          out.endTuple(1);
                        },
                        1)));
  }

  private static String cbor(Consumer<CborWriter> value) {
    CborWriter out = new CborWriter(10);
    out.start();
    value.accept(out);
    return HexFormat.of().formatHex(out.buffer(), 0, out.finish());
  }

  private static void triple(CborWriter out, Runnable prefix, Runnable third, long... tokens) {
    out.startTuple(3);
    prefix.run();
    out.startTuple(tokens.length);
    Arrays.stream(tokens).forEach(out::unsigned);
    out.endTuple(tokens.length);
    third.run();
    out.endTuple(3);
  }

  private static void emptyTuple(CborWriter out) {
    out.startTuple(0);
    out.endTuple(0);
  }

  private static byte[] filled(int length, byte value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }

  /** Chunks of every form and length, up to pickles of many frames. */
  @TestFactory
  Stream<DynamicTest> computed_chains_sameNumbersOrBytes() {
    return GoldenFile.read(COMPUTED, "chains")
        .map(
            vector -> {
              String algorithm = vector.path("algorithm").asString();
              String seed = vector.path("seed").asString();
              int size = vector.path("chunk_size").intValue();
              return DynamicTest.dynamicTest(
                  "%s, seed '%s', %s by %d".formatted(algorithm, seed, vector.path("count"), size),
                  () ->
                      assertExactly(
                          new TokenChunker(ChunkHashing.of(algorithm, seed), size)
                              .allChunks(sequence(vector)),
                          vector.path("hashes")));
            });
  }

  private static long[] sequence(JsonNode vector) {
    BigInteger step = vector.path("step").bigIntegerValue();
    BigInteger modulus = vector.path("modulus").bigIntegerValue();
    long[] tokens = new long[vector.path("count").intValue()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = BigInteger.valueOf(i).multiply(step).mod(modulus).longValueExact();
    }
    return tokens;
  }

  @Test
  void xxh3_everyClassOfLengths_sameDigests() {
    GoldenFile.read(COMPUTED, "xxh3")
        .forEach(
            vector -> {
              int length = vector.path("length").intValue();
              byte[] bytes = new byte[length + 3];
              for (int i = 0; i < length; i++) {
                bytes[i] = (byte) (131 * i + 7 * (i >> 8));
              }
              assertThat(HexFormat.of().formatHex(Xxh3.digest128(bytes, length)))
                  .as("%d bytes", length)
                  .isEqualTo(vector.path("digest").asString());
            });
  }

  /** Tokens 1 to 8 in chunks of 4, from a table that others computed. */
  @Test
  void publishedTable_firstTwoHashes_same() {
    assertThat(unsigned("sha256", "0"))
        .containsExactly("15842300701589378573", "240389798504831256");
    assertThat(unsigned("xxhash", "0"))
        .containsExactly("3462608232471541696", "6490588778022550701");
    assertThat(unsigned("builtin+none", NO_SEED))
        .containsExactly("1186629185941074310", "1248678203924303499");
  }

  private static List<String> unsigned(String algorithm, String seed) {
    return new TokenChunker(ChunkHashing.of(algorithm, seed), 4)
        .allChunks(new long[] {1, 2, 3, 4, 5, 6, 7, 8}).stream()
            .map(hash -> Long.toUnsignedString(hash.bits()))
            .toList();
  }
}

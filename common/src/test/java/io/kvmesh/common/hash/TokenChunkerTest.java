package io.kvmesh.common.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.key.ChunkHash;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Chunks and chains: what holds for every algorithm, prompt and chunk size. */
class TokenChunkerTest {

  private static final List<String> NAMES =
      List.of(
          "builtin",
          "builtin+py310",
          "builtin+pair",
          "builtin+none",
          "sha256_cbor",
          "sha256_cbor+raw",
          "sha256_cbor+none",
          "sha256",
          "sha256+raw+pair",
          "xxhash_cbor",
          "xxhash_cbor+raw",
          "xxhash",
          "sha256_cbor_64bit");

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private static TokenChunker chunker(String name, int size) {
    return new TokenChunker(ChunkHashing.of(name, "0"), size);
  }

  private long[] prompt(int length) {
    int bits = random.nextInt(Long.SIZE);
    return random.longs(length).map(token -> token >>> 1 >>> bits).toArray();
  }

  @Test
  void allChunks_anyPrompt_oneHashForEachStartedChunk() {
    for (String name : NAMES) {
      int size = 1 + random.nextInt(9);
      long[] prompt = prompt(random.nextInt(60));

      List<ChunkHash> all = chunker(name, size).allChunks(prompt);
      List<ChunkHash> full = chunker(name, size).fullChunks(prompt);

      assertThat(all).as("seed %d, %s", seed, name).hasSize((prompt.length + size - 1) / size);
      assertThat(full).isEqualTo(all.subList(0, prompt.length / size));
    }
  }

  @Test
  void chunks_ofAPrefix_arePrefixOfTheChunks() {
    for (String name : NAMES) {
      int size = 1 + random.nextInt(9);
      long[] prompt = prompt(60);
      List<ChunkHash> whole = chunker(name, size).allChunks(prompt);
      for (int length = 0; length <= prompt.length; length++) {
        List<ChunkHash> part = chunker(name, size).fullChunks(Arrays.copyOf(prompt, length));
        assertThat(part)
            .as("seed %d, %s, %d tokens", seed, name, length)
            .isEqualTo(whole.subList(0, length / size));
      }
    }
  }

  @Test
  void chunks_oneTokenChanged_allFromThereOnDiffer() {
    for (String name : NAMES) {
      long[] prompt = prompt(40);
      List<ChunkHash> before = chunker(name, 4).allChunks(prompt);
      int changed = random.nextInt(prompt.length);
      prompt[changed] ^= 1;
      List<ChunkHash> after = chunker(name, 4).allChunks(prompt);

      for (int i = 0; i < before.size(); i++) {
        assertThat(after.get(i).equals(before.get(i)))
            .as("seed %d, %s, token %d, chunk %d", seed, name, changed, i)
            .isEqualTo(i < changed / 4);
      }
    }
  }

  @Test
  void algorithms_sameTokens_differentHashes() {
    long[] prompt = prompt(8);
    List<ChunkHash> hashes = new ArrayList<>();
    NAMES.forEach(name -> hashes.addAll(chunker(name, 4).allChunks(prompt)));
    assertThat(hashes).as("seed %d", seed).doesNotHaveDuplicates();
  }

  /** CPython's own definition, with numbers of any size. */
  @Test
  void ofInt_anyNumber_likeTheDefinition() {
    BigInteger modulus = BigInteger.TWO.pow(61).subtract(BigInteger.ONE);
    List<Long> numbers = new ArrayList<>(List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE));
    for (long near : new long[] {modulus.longValue(), -modulus.longValue()}) {
      numbers.addAll(List.of(near - 1, near, near + 1, 2 * near, 3 * near, 2 * near - 1));
    }
    random.longs(1000).forEach(numbers::add);
    for (long number : numbers) {
      BigInteger magnitude = BigInteger.valueOf(number).abs().mod(modulus);
      long hash = (number < 0 ? magnitude.negate() : magnitude).longValueExact();
      assertThat(PythonHash.ofInt(number))
          .as("seed %d, %d", seed, number)
          .isEqualTo(hash == -1 ? -2 : hash);
    }
  }

  @Test
  void tokens_impossible_namedWithPlaceAndRule() {
    for (String name : NAMES) {
      assertThatThrownBy(() -> chunker(name, 4).fullChunks(new long[] {1, 2, -5}))
          .isInstanceOf(TokenFormatException.class)
          .hasMessage("Token 2 is -5: a token is a whole number from 0 to 2^63-1");
    }
    assertThatThrownBy(() -> Tokens.of(List.of(1, -1)))
        .hasMessage("Token 1 is -1: a token is a whole number from 0 to 2^63-1");
    assertThatThrownBy(() -> Tokens.of(List.of(BigInteger.TWO.pow(64))))
        .isInstanceOf(TokenFormatException.class)
        .hasMessageStartingWith("Token 0 is 18446744073709551616: a token is");
    assertThatThrownBy(() -> Tokens.of(List.of(1.0))).hasMessageStartingWith("Token 0 is 1.0: ");
    assertThatThrownBy(() -> Tokens.of(List.of(BigInteger.TEN.pow(5000))))
        .message()
        .hasSizeLessThan(120);
    assertThat(Tokens.of(List.of(7, 8L, BigInteger.TWO.pow(62)))).containsExactly(7, 8, 1L << 62);
  }

  @Test
  void hashing_impossible_namedWithValueAndRule() {
    refused(
        "md5", "0", "Unknown hash algorithm 'md5'", "an algorithm is one of builtin, sha256_cbor");
    refused("BUILTIN", "0", "Unknown hash algorithm 'BUILTIN'", "builtin");
    refused("builtin+", "0", "'builtin+'", "a variant is one of none, pair, raw, py310");
    refused("builtin+pair+none", "0", "'builtin+pair+none'", "none and pair exclude each other");
    refused("builtin+raw", "0", "'builtin+raw'", "a hash of 64 bits has no variant raw");
    refused("sha256_cbor_64bit+raw", "0", "'sha256_cbor_64bit+raw'", "no variant raw");
    refused("sha256+py310", "0", "'sha256+py310'", "py310 is a variant of builtin");
    refused("builtin", "random", "'random'", "empty or a number from 0 to 4294967295");
    refused("builtin", "4294967296", "'4294967296'", "empty or a number");
    refused("builtin", "-1", "'-1'", "empty or a number");
    refused("sha256", "x".repeat(256), "256", "at most 255 bytes");
    assertThatThrownBy(() -> chunker("builtin", 0)).hasMessageContaining("at least 1 token, got 0");
  }

  private static void refused(String name, String seed, String value, String rule) {
    assertThatThrownBy(() -> ChunkHashing.of(name, seed))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(value)
        .hasMessageContaining(rule);
  }

  @Test
  void hashing_itsText_readAgain() {
    for (String name : NAMES) {
      assertThat(ChunkHashing.of(ChunkHashing.of(name, "7").toString(), "7"))
          .hasToString(ChunkHashing.of(name, "7").toString());
    }
    assertThat(ChunkHashing.of("sha256_cbor+raw+none", "")).hasToString("sha256_cbor+none+raw");
  }

  /** A prompt of 100,000 tokens costs memory for its 391 chunks, not for its tokens. */
  @Test
  void chunks_longPrompt_allocatePerChunk() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] prompt = prompt(100_000);
    for (String name : NAMES) {
      TokenChunker chunker = chunker(name, 256);
      assertThat(chunker.allChunks(prompt)).hasSize(391);
      long before = threads.getCurrentThreadAllocatedBytes();
      chunker.allChunks(prompt);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated).as(name).isLessThan(391 * 512L + (16 << 10));
    }
  }
}

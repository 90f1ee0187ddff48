package io.kvmesh.common.hash;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How chunks are hashed: an algorithm under the name that LMCache's setting {@code
 * pre_caching_hash_algorithm} gives it, variants that depend on the engine's versions, and a seed.
 * The text is {@code algorithm[+variant]*}.
 *
 * <p>The seed is the text that PYTHONHASHSEED has where the engine runs, of which the hash before
 * the first chunk is made. Without a seed that is the number 0: LMCache without vLLM.
 *
 * <p>Immutable, any thread.
 */
public final class ChunkHashing {

  private static final int MAX_SEED_BYTES = 255;
  private static final String PLUS = "+";

  private final Algorithm algorithm;
  private final Set<Variant> variants;
  private final String seed;

  /** What a chunk's hash is computed with. */
  enum Algorithm {
    /** CPython's hash of a tuple, 64 bits with sign. */
    BUILTIN,
    /** The first 8 bytes of SHA-256 of canonical CBOR. */
    SHA256_CBOR,
    /** The same of pickle, protocol 5. */
    SHA256,
    /** The first 8 bytes of XXH3, 128 bits, of canonical CBOR. */
    XXHASH_CBOR,
    /** The same of pickle, protocol 5. */
    XXHASH,
    /** The last 8 bytes of SHA-256 of canonical CBOR. */
    SHA256_CBOR_64BIT
  }

  /** What some versions do otherwise. */
  enum Variant {
    /** None is hashed as the third element, where it is an empty tuple now. */
    NONE,
    /** There is no third element. */
    PAIR,
    /** The whole digest is the hash, and the next one is made of it. */
    RAW,
    /** The seed is hashed as CPython 3.10 and earlier do. */
    PY310
  }

  private ChunkHashing(Algorithm algorithm, Set<Variant> variants, String seed) {
    this.algorithm = algorithm;
    this.variants = variants;
    this.seed = seed;
  }

  /**
   * The hashing of that name.
   *
   * @param seed empty = none
   * @throws IllegalArgumentException if the name or the seed can't be; the message has the value
   *     and the rule
   */
  public static ChunkHashing of(String name, String seed) {
    String[] parts = name.split("\\+", -1);
    Algorithm algorithm =
        find(Algorithm.values(), parts[0])
            .orElseThrow(() -> unknown(name, "an algorithm", Algorithm.values()));
    Set<Variant> variants = EnumSet.noneOf(Variant.class);
    for (String part : List.of(parts).subList(1, parts.length)) {
      variants.add(
          find(Variant.values(), part)
              .orElseThrow(() -> unknown(name, "a variant", Variant.values())));
    }
    checkVariants(name, algorithm, variants);
    checkSeed(algorithm, seed);
    return new ChunkHashing(algorithm, variants, seed);
  }

  private static <E extends Enum<E>> Optional<E> find(E[] constants, String name) {
    return Arrays.stream(constants).filter(constant -> nameOf(constant).equals(name)).findFirst();
  }

  private static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static IllegalArgumentException unknown(String name, String part, Enum<?>[] constants) {
    String known =
        Arrays.stream(constants).map(ChunkHashing::nameOf).collect(Collectors.joining(", "));
    return new IllegalArgumentException(
        "Unknown hash algorithm '%s': it is algorithm[+variant]*, and %s is one of %s"
            .formatted(name, part, known));
  }

  private static void checkVariants(String name, Algorithm algorithm, Set<Variant> variants) {
    boolean builtin = algorithm == Algorithm.BUILTIN;
    boolean fixedWidth = builtin || algorithm == Algorithm.SHA256_CBOR_64BIT;
    String rule =
        variants.containsAll(Set.of(Variant.NONE, Variant.PAIR))
            ? "none and pair exclude each other"
            : variants.contains(Variant.PY310) && !builtin
                ? "py310 is a variant of builtin"
                : variants.contains(Variant.RAW) && fixedWidth
                    ? "a hash of 64 bits has no variant raw"
                    : "";
    if (!rule.isEmpty()) {
      throw new IllegalArgumentException(
          "Impossible hash algorithm '%s': %s".formatted(name, rule));
    }
  }

  private static void checkSeed(Algorithm algorithm, String seed) {
    int bytes = seed.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_SEED_BYTES) {
      throw new IllegalArgumentException(
          "A hash seed has at most %d bytes, got %d".formatted(MAX_SEED_BYTES, bytes));
    }
    if (algorithm == Algorithm.BUILTIN && !seed.isEmpty()) {
      PythonHash.requireSeed(seed);
    }
  }

  /** A chain for chunks of at most so many tokens. */
  HashChain newChain(int maxTokens) {
    ThirdElement third =
        variants.contains(Variant.PAIR)
            ? ThirdElement.ABSENT
            : variants.contains(Variant.NONE) ? ThirdElement.NONE : ThirdElement.EMPTY_TUPLE;
    boolean raw = variants.contains(Variant.RAW);
    DigestWidth width = raw ? DigestWidth.RAW : DigestWidth.FIRST_8;
    return switch (algorithm) {
      case BUILTIN -> new BuiltinChain(firstPrefix(), third);
      case SHA256_CBOR ->
          new DigestChain(new CborWriter(maxTokens), Digest.sha256(), width, third, seed);
      case SHA256 ->
          new DigestChain(new PickleWriter(maxTokens), Digest.sha256(), width, third, seed);
      case XXHASH_CBOR ->
          new DigestChain(new CborWriter(maxTokens), Xxh3::digest128, width, third, seed);
      case XXHASH ->
          new DigestChain(new PickleWriter(maxTokens), Xxh3::digest128, width, third, seed);
      case SHA256_CBOR_64BIT ->
          new DigestChain(
              new CborWriter(maxTokens), Digest.sha256(), DigestWidth.LAST_8, third, seed);
    };
  }

  private long firstPrefix() {
    if (seed.isEmpty()) {
      return 0;
    }
    return variants.contains(Variant.PY310)
        ? PythonHash.ofSeedBefore311(seed)
        : PythonHash.ofSeed(seed);
  }

  /** The name that {@link #of} takes, its variants in one order. */
  @Override
  public String toString() {
    return Stream.concat(Stream.of(algorithm), variants.stream())
        .map(ChunkHashing::nameOf)
        .collect(Collectors.joining(PLUS));
  }
}

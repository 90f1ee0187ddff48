package io.kvmesh.common.key;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a chunk's identity but its hash: chunks of two keyspaces never answer for each
 * other. The text is {@code model@world_size@rank@dtype[@tag%value]*}. A foreign LMCache worker
 * tells only the rank: its keyspace is {@code foreign@rank}. That of the blocks in a vLLM engine's
 * own memory is {@code model@1@0@vllm@block%tokens}: they have hashes of another kind, whatever the
 * dtype.
 *
 * <p>Text, digest and hash code are computed once; comparing and hashing is cheap.
 */
public final class Keyspace {

  private static final String FOREIGN = "foreign";
  private static final String ENGINE = "vllm";
  private static final String BLOCK = "block";
  private static final int FIXED_PARTS = 4;
  private static final Map<String, String> DTYPE_ALIASES =
      Map.of("float16", "half", "float32", "float", "float64", "double");

  private final String model;
  private final int worldSize;
  private final int rank;
  private final String dtype;
  private final List<Tag> tags;
  private final String text;
  private final long digest;

  private Keyspace(
      String model, int worldSize, int rank, String dtype, List<Tag> tags, String text) {
    this.model = model;
    this.worldSize = worldSize;
    this.rank = rank;
    this.dtype = dtype;
    this.tags = tags;
    this.text = text;
    this.digest = PlacementDigest.ofText(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The keyspace of a worker that runs the model. The dtype is written as LMCache writes it:
   * float16 as half, float32 as float, float64 as double.
   *
   * @throws KeyFormatException if a part can't be written in a key
   */
  public static Keyspace of(String model, int worldSize, int rank, String dtype, List<Tag> tags) {
    requirePart("model", model);
    requirePart("dtype", dtype);
    requireAtLeast("world size", worldSize, 1);
    requireAtLeast("rank", rank, 0);
    requireDistinctNames(tags);
    String known = DTYPE_ALIASES.getOrDefault(dtype, dtype);
    StringBuilder text = new StringBuilder();
    text.append(model).append('@').append(worldSize).append('@').append(rank);
    text.append('@').append(known);
    tags.forEach(tag -> text.append('@').append(tag));
    return new Keyspace(model, worldSize, rank, known, List.copyOf(tags), text.toString());
  }

  /** The keyspace of all chunks of foreign workers of a rank. */
  public static Keyspace foreign(int rank) {
    requireAtLeast("rank", rank, 0);
    return new Keyspace("", 0, rank, "", List.of(), FOREIGN + '@' + rank);
  }

  /**
   * The keyspace of the blocks that vLLM engines keep of the model.
   *
   * @param blockTokens tokens of a block
   * @throws KeyFormatException if the model can't be written in a key
   */
  public static Keyspace ofEngine(String model, int blockTokens) {
    requireAtLeast("block size", blockTokens, 1);
    return of(model, 1, 0, ENGINE, List.of(new Tag(BLOCK, Integer.toString(blockTokens))));
  }

  /**
   * Reads either text.
   *
   * @throws KeyFormatException if the text is anything else
   */
  public static Keyspace parse(String text) {
    String[] parts = text.split("@", -1);
    if (parts.length == 2 && parts[0].equals(FOREIGN)) {
      return foreign(number(text, "the rank", parts[1]));
    }
    if (parts.length < FIXED_PARTS) {
      throw KeyFormatException.of(text, "a keyspace is model@world_size@rank@dtype[@tag%value]*");
    }
    return ofParts(text, parts, parts[3], FIXED_PARTS);
  }

  static Keyspace ofParts(String text, String[] parts, String dtype, int firstTag) {
    return of(
        parts[0],
        number(text, "after the model, which has no '@', the world size", parts[1]),
        number(text, "after model and world size the rank", parts[2]),
        dtype,
        List.of(parts).subList(firstTag, parts.length).stream().map(Tag::parse).toList());
  }

  static int number(String text, String part, String digits) {
    try {
      if (!digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
        return Integer.parseInt(digits);
      }
    } catch (NumberFormatException tooLarge) {
      // Answered below.
    }
    throw KeyFormatException.of(text, part + " is a decimal number, not '" + digits + "'");
  }

  private static void requirePart(String name, String value) {
    if (value.isEmpty() || value.chars().anyMatch(c -> c == '@' || Character.isISOControl(c))) {
      throw KeyFormatException.of(
          value, "the " + name + " is not empty and has no '@' and no control character");
    }
  }

  private static void requireAtLeast(String name, int value, int least) {
    if (value < least) {
      throw new KeyFormatException(
          "The %s of a keyspace is at least %d, got %d".formatted(name, least, value));
    }
  }

  private static void requireDistinctNames(List<Tag> tags) {
    Set<String> names = new HashSet<>();
    for (Tag tag : tags) {
      if (!names.add(tag.name())) {
        throw KeyFormatException.of(tag.name(), "a tag's name occurs once in a key");
      }
    }
  }

  /** The model's name; empty if foreign. */
  public String model() {
    return model;
  }

  /** Number of ranks the model is split over; 0 if foreign. */
  public int worldSize() {
    return worldSize;
  }

  /** The rank whose shard the chunks hold. */
  public int rank() {
    return rank;
  }

  /** The dtype as LMCache writes it; empty if foreign. */
  public String dtype() {
    return dtype;
  }

  /** Labels of the request, in the order they were written. */
  public List<Tag> tags() {
    return tags;
  }

  /** Whether it is that of a foreign worker. */
  public boolean isForeign() {
    return worldSize == 0;
  }

  /** Whether it is that of blocks in an engine's own memory. */
  public boolean isEngine() {
    return dtype.equals(ENGINE);
  }

  /** A 64-bit hash of the text, the same in every process and version; see PlacementDigest. */
  public long digest() {
    return digest;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Keyspace that && digest == that.digest && text.equals(that.text));
  }

  @Override
  public int hashCode() {
    return Long.hashCode(digest);
  }

  @Override
  public String toString() {
    return text;
  }
}

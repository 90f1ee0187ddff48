package io.kvmesh.agent.cache;

import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.OpaqueKeys;
import org.jspecify.annotations.Nullable;

/**
 * What bodies a cache takes. Those of opaque keys are of no model, and any will do.
 *
 * @param model to whose chunks the rule applies; null = to all
 * @param chunkTokens tokens of a full chunk; 0 = not known, then none is taken for a part of one
 * @param saveUnfull whether the last chunk of a prompt is kept, which has fewer tokens
 * @param shape of a full chunk, which says how long a body must be; null = not known
 */
public record BodyRule(
    @Nullable String model, int chunkTokens, boolean saveUnfull, @Nullable ChunkShape shape) {

  /** Takes every body. */
  public static final BodyRule ANY = new BodyRule(null, 0, true, null);

  private static final Claim UNFULL = new Claim.Unfull();

  /** How a claim for the chunk is refused; null if it isn't. */
  @Nullable Claim refusal(ChunkSpec spec) {
    if (chunkTokens == 0 || !appliesTo(spec.key().keyspace())) {
      return null;
    }
    if (spec.tokens() < chunkTokens && !saveUnfull) {
      return UNFULL;
    }
    if (shape == null) {
      return null;
    }
    long expected = bytesOf(shape, spec.tokens());
    return spec.bytes() == expected ? null : new Claim.WrongSize(expected);
  }

  /** Whether it says anything of chunks of that keyspace. */
  public boolean appliesTo(Keyspace keyspace) {
    return !OpaqueKeys.isTheirs(keyspace) && (model == null || model.equals(keyspace.model()));
  }

  private static long bytesOf(ChunkShape full, int tokens) {
    if (tokens == full.tokens()) {
      return full.bytes();
    }
    return tokens < 1 || tokens > full.tokens() ? 0 : full.ofTokens(tokens).bytes();
  }
}

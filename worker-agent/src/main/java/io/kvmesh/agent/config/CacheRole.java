package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.CacheOptions;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.cache.PinLimits;

/** What the settings mean for this agent's cache. Immutable. */
final class CacheRole {

  private static final int FIRST_RANK = 0;

  /** Bodies may be smaller than full chunks: parts of one, or those of other models. */
  private static final int CHUNKS_PER_FULL_ONE = 4;

  /** So many may wait that there are others at work beside them: one in so many requests. */
  private static final int WAITING_SHARE = 2;

  private final AgentSettings settings;

  CacheRole(AgentSettings settings) {
    this.settings = settings;
  }

  Keeping keeping() {
    if (settings.model().saveOnlyFirstRank() && settings.rank() != FIRST_RANK) {
      return Keeping.NOTHING;
    }
    return settings.cache().hot() ? Keeping.HOT : Keeping.STAGING;
  }

  /** Bytes of memory as configured, also where there is none. */
  long capacityBytes() {
    long ofFirstRank = settings.cache().firstRankCapacityBytes().toBytes();
    return settings.model().saveOnlyFirstRank() && ofFirstRank > 0
        ? ofFirstRank
        : settings.cache().capacityBytes().toBytes();
  }

  /** How much of an arena is used at first. */
  long initialBytes(long arenaBytes) {
    long initial = settings.memory().initialBytes().toBytes();
    return initial == 0 ? arenaBytes : Math.min(initial, arenaBytes);
  }

  /** How much more of it is taken into use when nothing is free. */
  long growthBytes(long arenaBytes) {
    long growth = settings.memory().growthBytes().toBytes();
    return growth == 0 ? initialBytes(arenaBytes) : Math.min(growth, arenaBytes);
  }

  /** How many chunks there may be in ranges of so many bytes. */
  int maxChunks(long arenaBytes, int chunkBytes) {
    return settings.cache().maxChunks() > 0
        ? settings.cache().maxChunks()
        : Math.clamp(CHUNKS_PER_FULL_ONE * (arenaBytes / chunkBytes), 1, 1 << 29);
  }

  CacheOptions options() {
    return new CacheOptions(
        keeping(),
        bodies(),
        Math.ceilDiv(settings.engine().maxRequests(), WAITING_SHARE),
        new PinLimits(settings.pin().lifetime(), settings.pin().maxPercent()));
  }

  /** What bodies the cache takes. */
  BodyRule bodies() {
    AgentSettings.Model model = settings.model();
    return new BodyRule(
        settings.memory().allocator() == Allocator.RANGES ? model.name() : null,
        model.chunkTokens(),
        settings.cache().saveUnfullChunk(),
        new ModelShape(model).shape().orElse(null));
  }
}

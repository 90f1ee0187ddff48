package io.kvmesh.controller.web;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.controller.lookup.InstanceScore;
import io.kvmesh.controller.lookup.PrefixScores;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a router needs to choose an instance for a prompt, of all instances in one answer. */
@RestController
@RequestMapping("/api/v1/scores")
public final class ScoreResource {

  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final PrefixScores scores;
  private final WorkerCatalog catalog;
  private final ChunkReader chunks;

  public ScoreResource(PrefixScores scores, WorkerCatalog catalog, ChunkReader chunks) {
    this.scores = scores;
    this.catalog = catalog;
    this.chunks = chunks;
  }

  /**
   * Asks how much of a prompt each instance holds.
   *
   * @param hashes of the chunks in order; or keys; or the tokens of the prompt
   * @param partialChunk whether the tokens after the last full chunk are a chunk too
   * @param keyspace of hashes or tokens, its rank any; absent = that of foreign workers
   * @param oneRank whether one rank alone keeps the chunks, in the keyspace given (MLA); absent =
   *     if its world size is 1
   * @param limit of instances in the answer; absent = 100
   */
  record ScoresRequest(
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable List<@Nullable String> keys,
      @Nullable List<@Nullable Long> tokens,
      @Nullable Boolean partialChunk,
      @Nullable String keyspace,
      @Nullable Boolean oneRank,
      @Nullable Integer limit) {

    ChunkNames names() {
      return new ChunkNames(hashes, keys, tokens, partialChunk, keyspace);
    }
  }

  /**
   * Instances that hold some of the prompt, the highest score first.
   *
   * @param chunks number of chunks that were asked for
   * @param leftOut number of instances beyond the limit
   */
  record ScoresJson(int chunks, List<InstanceScoreJson> instances, int leftOut) {}

  /**
   * One instance.
   *
   * @param chunks of the prompt, from its first on, that all ranks hold which need them
   * @param tokens of those chunks; null unless the request gives tokens
   * @param score the chunks weighed by their locations, of the rank where that is least
   * @param state the worst of its ranks
   * @param suspect whether some of its keys may be wrong
   * @param heartbeatAgeMillis since the last heartbeat of the rank that has been silent longest;
   *     null if not known
   * @param missingRanks ranks of the keyspace that there is no worker of; no chunk is whole then
   */
  record InstanceScoreJson(
      String instanceId,
      int chunks,
      @Nullable Integer tokens,
      double score,
      WorkerState state,
      boolean suspect,
      @Nullable Long heartbeatAgeMillis,
      int missingRanks,
      List<RankJson> ranks) {}

  /** What one rank holds, and where. */
  record RankJson(
      int rank,
      int chunks,
      WorkerState state,
      boolean suspect,
      @Nullable Long heartbeatAgeMillis,
      Map<String, Integer> locations) {}

  @PostMapping
  ScoresJson score(@RequestBody ScoresRequest request) {
    if (!catalog.ready()) {
      throw Problems.notReady();
    }
    int limit = request.limit() == null ? DEFAULT_LIMIT : request.limit();
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Problems.badRequest("limit", limit, "must be between 1 and " + MAX_LIMIT);
    }
    ChunkList asked = chunks.read(request.names());
    Keyspace common = asked.commonKeyspace();
    Keyspace keyspace = common == null ? Keyspace.foreign(0) : common;
    boolean oneRank = request.oneRank() == null ? keyspace.worldSize() == 1 : request.oneRank();
    List<InstanceScore> found = scores.of(keyspace, asked.bits(), oneRank);
    Map<Integer, LogProgress.Lag> lags = catalog.lags();
    return new ScoresJson(
        asked.size(),
        found.stream().limit(limit).map(score -> json(score, asked, lags)).toList(),
        Math.max(0, found.size() - limit));
  }

  private static InstanceScoreJson json(
      InstanceScore score, ChunkList asked, Map<Integer, LogProgress.Lag> lags) {
    List<RankJson> ranks = score.ranks().stream().map(rank -> json(rank, lags)).toList();
    return new InstanceScoreJson(
        score.instanceId(),
        score.chunks(),
        asked.tokens(score.chunks()),
        score.score(),
        ranks.stream()
            .map(RankJson::state)
            .max(Comparator.naturalOrder())
            .orElse(WorkerState.SILENT),
        ranks.stream().anyMatch(RankJson::suspect),
        ranks.stream()
            .map(RankJson::heartbeatAgeMillis)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null),
        score.missingRanks(),
        ranks);
  }

  private static RankJson json(InstanceScore.RankPrefix rank, Map<Integer, LogProgress.Lag> lags) {
    WorkerView worker = rank.worker();
    return new RankJson(
        worker.id().rank(),
        rank.chunks(),
        worker.state(),
        worker.suspect(),
        WorkerJson.heartbeatAgeMillis(worker, lags.get(worker.partition())),
        rank.locations());
  }
}

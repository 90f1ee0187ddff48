package io.kvmesh.controller.web;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.lookup.Holder;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.Requester;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Who holds which chunks. Refused until the log has been read to its end. */
@RestController
@RequestMapping("/api/v1")
public final class LookupResource {

  private final HolderLookup lookup;
  private final ChunkIndex index;
  private final WorkerCatalog catalog;
  private final ChunkReader chunks;

  public LookupResource(
      HolderLookup lookup, ChunkIndex index, WorkerCatalog catalog, ChunkReader chunks) {
    this.lookup = lookup;
    this.index = index;
    this.catalog = catalog;
    this.chunks = chunks;
  }

  /**
   * Asks for the holders of a prefix, as a worker would.
   *
   * @param hashes of the chunks in order; or keys; or the tokens of a prompt
   * @param partialChunk whether the tokens after the last full chunk are a chunk too
   * @param keyspace of hashes or tokens; absent = that of foreign workers of the rank
   * @param instanceId of the asker, which is not offered; absent = nobody's
   * @param rank of the asker; absent = that of the keyspace, else 0
   */
  record LookupRequest(
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable List<@Nullable String> keys,
      @Nullable List<@Nullable Long> tokens,
      @Nullable Boolean partialChunk,
      @Nullable String keyspace,
      @Nullable String instanceId,
      @Nullable Integer rank) {

    ChunkNames names() {
      return new ChunkNames(hashes, keys, tokens, partialChunk, keyspace);
    }
  }

  /**
   * Who can serve a prefix.
   *
   * @param best whom a worker would be sent to; null is a miss
   * @param holders all that could, the longest prefix first
   * @param mismatched holders passed over, since their announcement does not match the asker's
   * @param withoutAddress holders passed over, since they have no address
   */
  record LookupJson(
      @Nullable HolderJson best, List<HolderJson> holders, int mismatched, int withoutAddress) {}

  /**
   * A worker that can serve a prefix of that many chunks.
   *
   * @param tokens of those chunks; null unless the request gives tokens
   */
  record HolderJson(
      String instanceId,
      int rank,
      String location,
      int chunks,
      @Nullable Integer tokens,
      String peerInitUrl) {

    static HolderJson of(Holder holder, ChunkList asked) {
      return new HolderJson(
          holder.worker().instanceId(),
          holder.worker().rank(),
          holder.location(),
          holder.chunks(),
          asked.tokens(holder.chunks()),
          holder.peerInitUrl());
    }
  }

  /**
   * Asks where each chunk is.
   *
   * @param hashes of the chunks; or keys; or the tokens of a prompt
   * @param partialChunk whether the tokens after the last full chunk are a chunk too
   * @param keyspace of hashes or tokens; absent = any
   */
  record HoldersRequest(
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable List<@Nullable String> keys,
      @Nullable List<@Nullable Long> tokens,
      @Nullable Boolean partialChunk,
      @Nullable String keyspace) {

    ChunkNames names() {
      return new ChunkNames(hashes, keys, tokens, partialChunk, keyspace);
    }
  }

  /** Where the chunks are, in the order that they were asked for. */
  record HoldersJson(List<ChunkJson> chunks) {}

  /** Where a chunk is; the hash is an unsigned decimal number. */
  record ChunkJson(String hash, List<PlacementJson> holders) {}

  /** One place of a chunk. */
  record PlacementJson(String keyspace, String instanceId, int rank, String location) {}

  @PostMapping("/lookup")
  LookupJson find(@RequestBody LookupRequest request) {
    ChunkList asked = chunks.read(request.names());
    Requester requester = requester(request, asked.commonKeyspace());
    return switch (lookup.find(requester, asked.bits())) {
      case LookupAnswer.NotReady() -> throw Problems.notReady();
      case LookupAnswer.Found found ->
          new LookupJson(
              found.best().map(holder -> HolderJson.of(holder, asked)).orElse(null),
              found.holders().stream().map(holder -> HolderJson.of(holder, asked)).toList(),
              found.mismatched(),
              found.withoutAddress());
    };
  }

  private static Requester requester(LookupRequest request, @Nullable Keyspace keyspace) {
    Integer rank = request.rank();
    int askerRank = rank != null ? rank : keyspace != null ? keyspace.rank() : 0;
    // Checks the rank also where no instance is given.
    WorkerId asker =
        WorkerCatalog.id(request.instanceId() == null ? "-" : request.instanceId(), askerRank);
    Keyspace asked = keyspace == null ? Keyspace.foreign(askerRank) : keyspace;
    return request.instanceId() == null ? Requester.outside(asked) : new Requester(asker, asked);
  }

  @PostMapping("/holders")
  HoldersJson holders(@RequestBody HoldersRequest request) {
    if (!catalog.ready()) {
      throw Problems.notReady();
    }
    ChunkList asked = chunks.read(request.names());
    Collection<Keyspace> all = index.countByKeyspace().keySet();
    List<ChunkJson> answer = new ArrayList<>(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      Keyspace keyspace = asked.keyspaces().get(i);
      answer.add(holders(asked.hashBits().get(i), keyspace == null ? all : List.of(keyspace)));
    }
    return new HoldersJson(answer);
  }

  private ChunkJson holders(long hashBits, Collection<Keyspace> keyspaces) {
    List<PlacementJson> places = new ArrayList<>();
    for (Keyspace keyspace : keyspaces) {
      for (Placement place : index.holders(keyspace, hashBits)) {
        places.add(
            new PlacementJson(
                keyspace.toString(),
                place.worker().instanceId(),
                place.worker().rank(),
                place.location()));
      }
    }
    places.sort(
        Comparator.comparing(PlacementJson::keyspace)
            .thenComparing(PlacementJson::instanceId)
            .thenComparingInt(PlacementJson::rank)
            .thenComparing(PlacementJson::location));
    return new ChunkJson(HashValue.text(hashBits), places);
  }
}

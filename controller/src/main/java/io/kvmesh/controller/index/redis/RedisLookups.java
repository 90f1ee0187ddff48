package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.index.PrefixMatch;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Lookups in the durable view. Who may hold chunks of a keyspace is asked first, then each of them
 * is asked for the chunks; what can be asked at once is sent before the first answer is waited for.
 * Any thread.
 */
final class RedisLookups {

  /**
   * Hashes in one question: a longer prefix is asked for in parts, of those who have the former.
   */
  private static final int MAX_MEMBERS = 1_000;

  private final RedisKeys schema;
  private final RedisLink link;

  RedisLookups(RedisKeys schema, RedisLink link) {
    this.schema = schema;
    this.link = link;
  }

  int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits) {
    Placement place = new Placement(worker, location);
    return lengths(List.of(place), keyspace, hashBits).getOrDefault(place, 0);
  }

  List<PrefixMatch> prefixes(Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible) {
    return hashBits.length == 0
        ? List.of()
        : prefixes(keyspace, hashBits, placesOf(keyspace, eligible));
  }

  /** Of the places alone, each of which may hold nothing of the keyspace. */
  List<PrefixMatch> prefixes(Keyspace keyspace, long[] hashBits, Collection<Placement> places) {
    return lengths(places, keyspace, hashBits).entrySet().stream()
        .filter(length -> length.getValue() > 0)
        .map(
            length ->
                new PrefixMatch(
                    length.getKey().worker(), length.getKey().location(), length.getValue()))
        .sorted(Comparator.comparingInt(PrefixMatch::length).reversed())
        .toList();
  }

  private List<Placement> placesOf(Keyspace keyspace, Predicate<WorkerId> eligible) {
    List<WorkerId> workers =
        link.call(redis -> redis.hkeys(schema.workers())).stream()
            .map(worker -> WorkerId.parse(RedisKeys.text(worker)))
            .filter(eligible)
            .toList();
    Map<WorkerId, List<byte[]>> fields =
        askAll(workers, (redis, worker) -> redis.hkeys(schema.state(worker)));
    List<Placement> places = new ArrayList<>();
    fields.forEach(
        (worker, names) -> {
          for (String set : RedisKeys.sets(names)) {
            String location = RedisKeys.locationOf(set);
            if (set.equals(RedisKeys.set(location, keyspace))) {
              places.add(new Placement(worker, location));
            }
          }
        });
    return places;
  }

  /** How long a prefix each place holds. */
  private Map<Placement, Integer> lengths(
      Collection<Placement> places, Keyspace keyspace, long[] hashBits) {
    Map<Placement, Integer> lengths = new LinkedHashMap<>();
    Collection<Placement> left = places;
    for (int from = 0; from < hashBits.length && !left.isEmpty(); from += MAX_MEMBERS) {
      byte[][] members = members(hashBits, from, Math.min(hashBits.length, from + MAX_MEMBERS));
      Map<Placement, List<Boolean>> held =
          askAll(left, (redis, place) -> redis.smismember(key(place, keyspace), members));
      left = new ArrayList<>();
      for (Map.Entry<Placement, List<Boolean>> answer : held.entrySet()) {
        int missing = answer.getValue().indexOf(false);
        lengths.put(answer.getKey(), from + (missing < 0 ? members.length : missing));
        if (missing < 0) {
          left.add(answer.getKey());
        }
      }
    }
    return lengths;
  }

  private byte[] key(Placement place, Keyspace keyspace) {
    return schema.keys(place.worker(), RedisKeys.set(place.location(), keyspace));
  }

  private static byte[][] members(long[] hashBits, int from, int to) {
    byte[][] members = new byte[to - from][];
    for (int i = from; i < to; i++) {
      members[i - from] = ByteBuffer.allocate(Long.BYTES).putLong(hashBits[i]).array();
    }
    return members;
  }

  /** A question about something. */
  @FunctionalInterface
  private interface Question<K, T> {

    RedisFuture<T> ask(RedisClusterAsyncCommands<byte[], byte[]> redis, K about);
  }

  /** All questions are sent, then all answers are waited for. */
  private <K, T> Map<K, T> askAll(Collection<K> about, Question<K, T> question) {
    Map<K, RedisFuture<T>> asked = new LinkedHashMap<>();
    RedisClusterAsyncCommands<byte[], byte[]> redis = link.open();
    about.forEach(k -> asked.put(k, question.ask(redis, k)));
    Map<K, T> answers = new LinkedHashMap<>();
    asked.forEach((k, answer) -> answers.put(k, link.await(answer)));
    return answers;
  }
}

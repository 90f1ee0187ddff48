package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.WorkerId;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds and removes what is in the durable view otherwise than this program has written it. For the
 * owners of the partitions; any thread. Methods throw {@link DurableViewException} when Redis can't
 * be used.
 */
public final class RedisCare {

  /** The maxmemory-policy that the view needs. */
  public static final String NO_EVICTION = "noeviction";

  private static final String POLICY = "maxmemory_policy:";
  private static final int SCAN_COUNT = 5_000;

  private final RedisKeys schema;
  private final RedisLink link;
  private final RedisIndex view;

  RedisCare(RedisKeys schema, RedisLink link, RedisIndex view) {
    this.schema = schema;
    this.link = link;
    this.view = view;
  }

  /** The worker is listed, as it is by its first change. */
  public void list(WorkerId worker, int partition) {
    var _ =
        link.call(
            redis ->
                redis.hset(
                    schema.workers(),
                    RedisKeys.bytes(worker.toString()),
                    RedisKeys.bytes(Integer.toString(partition))));
  }

  /** No worker is listed. */
  public void removeList() {
    var _ = link.call(redis -> redis.unlink(schema.workers()));
  }

  /** Removes whatever is under the worker's keys, also what this program hasn't written. */
  public void purge(WorkerId worker) {
    unlinkAll(schema.allOf(worker));
    view.unlist(worker);
  }

  /** Removes all of the view, also what this program hasn't written. */
  public void purge() {
    unlinkAll(schema.allOfWorkers());
    removeList();
    var _ = link.call(redis -> redis.unlink(schema.log()));
  }

  private void unlinkAll(byte[] pattern) {
    ScanArgs some = ScanArgs.Builder.limit(SCAN_COUNT).match(pattern);
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      ScanCursor from = cursor;
      KeyScanCursor<byte[]> found = link.call(redis -> redis.scan(from, some));
      for (byte[] key : found.getKeys()) {
        var _ = link.call(redis -> redis.unlink(key));
      }
      cursor = found;
    } while (!cursor.isFinished());
  }

  /**
   * Whether the worker's key sets have as many chunks as were put into them. Of a worker that is
   * being changed nothing is said: it counts as whole, and so does one without a state.
   */
  public boolean isWhole(WorkerId worker) {
    StoredWorker stored = view.readWorker(worker).orElse(null);
    if (stored == null) {
      return true;
    }
    Map<String, Long> counts = new HashMap<>();
    for (String set : stored.sets()) {
      long count = link.call(redis -> redis.scard(schema.keys(worker, set)));
      counts.merge(RedisKeys.locationOf(set), count, Long::sum);
    }
    return stored.totals().entrySet().stream()
            .allMatch(e -> counts.getOrDefault(e.getKey(), 0L) == e.getValue().count())
        || view.readOffset(worker) != stored.progress().offset();
  }

  /** What Redis does when its memory is full: its maxmemory-policy; empty if we may not ask. */
  public Optional<String> evictionPolicy() {
    try {
      // A user who may not ask keeps the connection, over which others wait for answers.
      return policy(link.awaitOnce(link.open().info("memory")));
    } catch (DurableViewException e) {
      if (RedisRefusal.of(e.getCause()).filter(RedisRefusal.NOPERM::equals).isPresent()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static Optional<String> policy(String memory) {
    return memory
        .lines()
        .filter(line -> line.startsWith(POLICY))
        .map(line -> line.substring(POLICY.length()).strip())
        .findFirst();
  }
}

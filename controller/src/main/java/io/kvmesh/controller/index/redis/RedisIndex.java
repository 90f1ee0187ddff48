package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.Placement;
import io.kvmesh.controller.index.PrefixMatch;
import io.kvmesh.controller.index.WorkerChange;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.ValueScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/**
 * The durable view, shared by all controllers; see {@link RedisKeys} for what it consists of. One
 * script makes a change: it names the offset that it expects of the worker and the one that it
 * sets, so a writer that isn't the partition's owner any more changes nothing.
 *
 * <p>Any thread. Methods throw {@link DurableViewException} when Redis can't be used; what was
 * being sent may then have been done or not, and the next change tells.
 */
public final class RedisIndex implements ChunkIndex, AutoCloseable {

  private static final String SCRIPT = "apply.lua";
  private static final byte[] BEGIN =
      RedisKeys.bytes(
          "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], unpack(ARGV)) return 1");
  private static final byte[] ADVANCE =
      RedisKeys.bytes(
          "if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return 0 end "
              + "redis.call('HSET', KEYS[1], ARGV[2], ARGV[3]) return 1");
  private static final int SCAN_COUNT = 5_000;

  private final RedisKeys schema;
  private final RedisLink link;
  private final RedisLookups lookups;
  private final StateFields fields = new StateFields();
  private volatile String topic = "";

  /** Takes keys of one location and keyspace. */
  @FunctionalInterface
  public interface KeySink {

    /** Some of the keys; the array is the callee's. */
    void accept(String location, Keyspace keyspace, long[] hashBits);
  }

  private RedisIndex(RedisKeys schema, RedisLink link) {
    this.schema = schema;
    this.link = link;
    this.lookups = new RedisLookups(schema, link);
  }

  /**
   * A view that connects when it is used; Redis need not be up.
   *
   * @param uri redis://, rediss:// or unix address
   * @param timeout of one command
   */
  public static RedisIndex of(String cluster, String uri, Duration timeout) {
    return of(cluster, RedisSettings.server(uri, timeout));
  }

  /** A view that connects when it is used; Redis need not be up. */
  public static RedisIndex of(String cluster, RedisSettings settings) {
    return new RedisIndex(new RedisKeys(cluster), new RedisLink(settings, script()));
  }

  private static byte[] script() {
    try (InputStream in = RedisIndex.class.getResourceAsStream(SCRIPT)) {
      if (in == null) {
        throw new IllegalStateException("No resource " + SCRIPT);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What keeps the view whole. */
  public RedisCare care() {
    return new RedisCare(schema, link, this);
  }

  // ---- what the partitions' owners write

  @Override
  public ChangeOutcome apply(WorkerChange change) {
    try {
      ChangeOutcome outcome = submit(change).join();
      if (change.forget() && outcome instanceof ChangeOutcome.Applied) {
        unlist(change.worker());
      }
      return outcome;
    } catch (CompletionException e) {
      throw cause(e);
    }
  }

  /** Why a future of {@link #submit} has failed. */
  public static DurableViewException cause(CompletionException failure) {
    return RedisLink.unavailable(failure.getCause() == null ? failure : failure.getCause());
  }

  /**
   * Sends the change. Changes of one worker are made in the order in which they were sent; when one
   * is refused, so are those after it. A worker that is forgotten stays listed until {@link
   * #unlist}.
   */
  public CompletableFuture<ChangeOutcome> submit(WorkerChange change) {
    WorkerId worker = change.worker();
    List<String> sets = ApplyCall.needsSets(change) ? sets(worker) : List.of();
    ApplyCall call =
        new ApplyCall(schema, change, fields.write(worker, topic, change.progress().get()), sets);
    RedisClusterAsyncCommands<byte[], byte[]> redis = link.open();
    RedisFuture<?> listed =
        change.expectedOffset() >= 0
            ? null
            : redis.hset(
                schema.workers(),
                RedisKeys.bytes(worker.toString()),
                RedisKeys.bytes(Integer.toString(change.progress().get().partition())));
    CompletableFuture<List<byte[]>> made =
        redis
            .<List<byte[]>>evalsha(
                link.sha(), ScriptOutputType.MULTI, call.keys(), call.arguments())
            .toCompletableFuture();
    CompletableFuture<ChangeOutcome> outcome = made.thenApply(answer -> outcome(change, answer));
    return (listed == null ? outcome : outcome.thenCombine(listed, (result, ignored) -> result))
        .exceptionallyCompose(
            failure -> {
              link.discard();
              return CompletableFuture.failedFuture(
                  RedisLink.unavailable(failure.getCause() == null ? failure : failure.getCause()));
            });
  }

  private static ChangeOutcome outcome(WorkerChange change, List<byte[]> answer) {
    String kind = RedisKeys.text(answer.getFirst());
    return switch (kind) {
      case "applied" -> new ChangeOutcome.Applied(totals(change.steps(), answer));
      case "refused" -> new ChangeOutcome.Refused(Long.parseLong(RedisKeys.text(answer.get(1))));
      default ->
          throw DurableViewException.unsupported(
              "Worker " + change.worker(), RedisKeys.text(answer.getLast()));
    };
  }

  private static List<KeyTotals> totals(List<ChangeStep> steps, List<byte[]> answer) {
    List<KeyTotals> totals = new ArrayList<>(steps.size());
    int at = 1;
    for (ChangeStep step : steps) {
      if (step instanceof ChangeStep.Drop) {
        totals.add(KeyTotals.NONE);
      } else {
        totals.add(
            StateFields.totals(RedisKeys.text(answer.get(at)), RedisKeys.text(answer.get(at + 1))));
        at += 2;
      }
    }
    return totals;
  }

  /** The worker is forgotten for good. */
  public void unlist(WorkerId worker) {
    var _ = link.call(redis -> redis.hdel(schema.workers(), RedisKeys.bytes(worker.toString())));
  }

  /** Removes all that is held of the worker, whatever it is. */
  public void drop(WorkerId worker) {
    List<byte[]> keys = new ArrayList<>();
    keys.add(schema.state(worker));
    for (String set : sets(worker)) {
      keys.add(schema.keys(worker, set));
      keys.add(schema.marks(worker, set));
    }
    var _ = link.call(redis -> redis.unlink(keys.toArray(byte[][]::new)));
    unlist(worker);
  }

  /** From here on the view is made of that topic; nothing of it has been applied. */
  public void begin(String topicId) {
    var _ =
        link.<Boolean>call(
            redis ->
                redis.eval(
                    BEGIN,
                    ScriptOutputType.BOOLEAN,
                    new byte[][] {schema.log()},
                    RedisKeys.bytes("format"),
                    RedisKeys.bytes(Integer.toString(RedisKeys.FORMAT)),
                    RedisKeys.bytes("life"),
                    RedisKeys.bytes(UUID.randomUUID().toString()),
                    RedisKeys.bytes("topic"),
                    RedisKeys.bytes(topicId)));
  }

  /** The changes that are made from here on come from that topic. */
  public void use(String topicId) {
    topic = topicId;
  }

  /**
   * All records of the partition before the offset have been applied, in that life of the view.
   *
   * @return whether this is noted: not if the view has another life, which may lack them
   */
  public boolean advance(int partition, long next, String life) {
    return link.<Boolean>call(
        redis ->
            redis.eval(
                ADVANCE,
                ScriptOutputType.BOOLEAN,
                new byte[][] {schema.log()},
                RedisKeys.bytes(life),
                RedisKeys.bytes(RedisKeys.NEXT_FIELD + partition),
                RedisKeys.bytes(Long.toString(next))));
  }

  // ---- what a reader that goes on from here needs

  /** How far the view is; to be read before the workers. */
  public StoredLog readLog() {
    Map<byte[], byte[]> read = link.call(redis -> redis.hgetall(schema.log()));
    return StoredTexts.parsed("The log's place", () -> StoredTexts.log(read));
  }

  /** The workers that may have a state, and their partitions. */
  public Map<WorkerId, Integer> listWorkers() {
    Map<byte[], byte[]> read = link.call(redis -> redis.hgetall(schema.workers()));
    return StoredTexts.parsed("The list of workers", () -> StoredTexts.workers(read));
  }

  /** The worker's state; to be read before its keys. */
  public Optional<StoredWorker> readWorker(WorkerId worker) {
    Map<byte[], byte[]> state = link.call(redis -> redis.hgetall(schema.state(worker)));
    return state.isEmpty()
        ? Optional.empty()
        : Optional.of(
            StoredTexts.parsed("The state of " + worker, () -> fields.read(worker, state)));
  }

  /** Offset of the worker's last record applied; −1 = it has no state. */
  public long readOffset(WorkerId worker) {
    byte[] offset = link.call(redis -> redis.hget(schema.state(worker), RedisKeys.bytes("offset")));
    return offset == null ? -1 : Long.parseLong(RedisKeys.text(offset));
  }

  /** Reads the keys of a set, as they are while it is being read. */
  public void readKeys(WorkerId worker, String set, KeySink into) {
    String location = RedisKeys.locationOf(set);
    Keyspace keyspace = RedisKeys.keyspaceOf(set);
    byte[] key = schema.keys(worker, set);
    ScanArgs some = ScanArgs.Builder.limit(SCAN_COUNT);
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      ScanCursor from = cursor;
      ValueScanCursor<byte[]> read = link.call(redis -> redis.sscan(key, from, some));
      long[] hashes =
          read.getValues().stream()
              .filter(member -> member.length == Long.BYTES)
              .mapToLong(member -> ByteBuffer.wrap(member).getLong())
              .toArray();
      if (hashes.length > 0) {
        into.accept(location, keyspace, hashes);
      }
      cursor = read;
    } while (!cursor.isFinished());
  }

  private List<String> sets(WorkerId worker) {
    return RedisKeys.sets(link.call(redis -> redis.hkeys(schema.state(worker))));
  }

  // ---- lookups

  @Override
  public int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits) {
    return lookups.prefix(worker, location, keyspace, hashBits);
  }

  @Override
  public List<PrefixMatch> prefixes(
      Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible) {
    return lookups.prefixes(keyspace, hashBits, eligible);
  }

  /**
   * As above, of these places alone: one question to each, all at once.
   *
   * @param life that the view must have after the answers: another has not been filled yet
   * @throws DurableViewException if it has another
   */
  public List<PrefixMatch> prefixes(
      Keyspace keyspace, long[] hashBits, Collection<Placement> places, String life) {
    List<PrefixMatch> matches = lookups.prefixes(keyspace, hashBits, places);
    byte[] now = link.call(redis -> redis.hget(schema.log(), RedisKeys.bytes("life")));
    if (now == null || !RedisKeys.text(now).equals(life)) {
      throw DurableViewException.unavailable("What Redis held is lost, it is being filled anew");
    }
    return matches;
  }

  @Override
  public List<Placement> holders(Keyspace keyspace, long hashBits) {
    return prefixes(keyspace, new long[] {hashBits}, worker -> true).stream()
        .map(match -> new Placement(match.worker(), match.location()))
        .toList();
  }

  @Override
  public KeyTotals totals(WorkerId worker, String location) {
    return readWorker(worker)
        .map(stored -> stored.totals().getOrDefault(location, KeyTotals.NONE))
        .orElse(KeyTotals.NONE);
  }

  @Override
  public KeyTotals totals(WorkerId worker) {
    return readWorker(worker).stream()
        .flatMap(stored -> stored.totals().values().stream())
        .reduce(KeyTotals.NONE, KeyTotals::plus);
  }

  @Override
  public Map<Keyspace, Long> countByKeyspace() {
    Map<Keyspace, Long> counts = new HashMap<>();
    for (WorkerId worker : listWorkers().keySet()) {
      for (String set : sets(worker)) {
        long count = link.call(redis -> redis.scard(schema.keys(worker, set)));
        counts.merge(RedisKeys.keyspaceOf(set), count, Long::sum);
      }
    }
    return counts;
  }

  @Override
  public void close() {
    link.close();
  }
}

package io.kvmesh.agent.control;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkPacker;
import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.PackOutcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses and decompresses chunks on command, one command at a time, on a thread of its own. The
 * reply comes when the command is over, which it is after a minute in any case.
 */
final class PackCommands implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PackCommands.class);

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final ChunkCache cache;
  private final String location;
  private final CommandKeys keys;
  private final Counters<ControlCount> counters;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          0,
          1,
          1,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().daemon().name("chunk-packer-", 0).factory());

  PackCommands(
      ChunkCache cache, String location, CommandKeys keys, Counters<ControlCount> counters) {
    this.cache = cache;
    this.location = location;
    this.keys = keys;
    this.counters = counters;
  }

  /** What has become of a command's chunks. One thread. */
  private static final class Tally {
    private final Map<PackOutcome, Integer> outcomes = new EnumMap<>(PackOutcome.class);
    private long tokens;
    private long chunks;
    private long bytes;
    private long packedBytes;

    private void enter(ChunkPacker.Result result) {
      PackOutcome outcome = result.outcome();
      outcomes.merge(outcome, 1, Integer::sum);
      boolean done = outcome == PackOutcome.COMPRESSED || outcome == PackOutcome.DECOMPRESSED;
      if (done || outcome == PackOutcome.ALREADY) {
        tokens += result.tokens();
      }
      if (done) {
        chunks++;
        bytes += result.bytes();
        packedBytes += result.packedBytes();
      }
    }
  }

  void compress(CompressWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    CompressionMethod method = check(request.location(), request.method());
    List<ChunkKey> named = named(request.tokens(), request.keys());
    long evictable = cache.packer().lastNumber();
    begin(
        named,
        key -> cache.packer().pack(key, method, evictable),
        tally ->
            reply.accept(
                new CompressWorkerRetMsg(
                    tally.tokens, tally.chunks, tally.bytes, tally.packedBytes, tally.outcomes)));
    counters.count(ControlCount.COMPRESS);
  }

  void decompress(DecompressWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    check(request.location(), request.method());
    begin(
        named(request.tokens(), request.keys()),
        cache.packer()::unpack,
        tally ->
            reply.accept(
                new DecompressWorkerRetMsg(
                    tally.tokens, tally.chunks, tally.packedBytes, tally.bytes, tally.outcomes)));
    counters.count(ControlCount.DECOMPRESS);
  }

  private CompressionMethod check(String named, String method) throws CommandFault {
    CommandFault.requireLocation(named, location);
    if (!cache.packer().hasRoom()) {
      throw CommandFault.unsupported(
          "This agent has no memory for compressed chunks: kvmesh.cache.compressed-bytes is 0");
    }
    return CompressionMethod.named(method)
        .orElseThrow(
            () ->
                CommandFault.badRequest(
                    "There is no method '%s', only %s"
                        .formatted(
                            method,
                            Arrays.stream(CompressionMethod.values())
                                .map(CompressionMethod::text)
                                .toList())));
  }

  /** Null for all. */
  private @Nullable List<ChunkKey> named(@Nullable List<Long> tokens, @Nullable List<String> texts)
      throws CommandFault {
    boolean all = texts == null && (tokens == null || tokens.isEmpty());
    return all ? null : keys.named(texts, tokens == null ? List.of() : tokens);
  }

  private void begin(
      @Nullable List<ChunkKey> named,
      Function<ChunkKey, ChunkPacker.Result> action,
      Consumer<Tally> whenOver)
      throws CommandFault {
    try {
      thread.execute(() -> whenOver.accept(run(named, action)));
    } catch (RejectedExecutionException e) {
      throw CommandFault.busy("Chunks are being compressed, or this agent is closing");
    }
  }

  private Tally run(@Nullable List<ChunkKey> named, Function<ChunkKey, ChunkPacker.Result> action) {
    long start = System.nanoTime();
    Tally tally = new Tally();
    List<ChunkKey> all =
        named == null ? cache.snapshots().keysInPolicyOrder(Integer.MAX_VALUE) : named;
    for (ChunkKey key : all) {
      boolean over =
          Thread.currentThread().isInterrupted() || System.nanoTime() - start >= LONGEST.toNanos();
      tally.enter(over ? new ChunkPacker.Result(PackOutcome.UNTRIED, 0, 0, 0) : act(action, key));
    }
    LOG.info("{} chunks on command: {}", all.size(), tally.outcomes);
    return tally;
  }

  private static ChunkPacker.Result act(
      Function<ChunkKey, ChunkPacker.Result> action, ChunkKey key) {
    try {
      return action.apply(key);
    } catch (IllegalStateException e) {
      LOG.error("The chunk {} is lost", key, e);
      return new ChunkPacker.Result(PackOutcome.GONE, 0, 0, 0);
    }
  }

  /** Ends the command that is under way, which is still answered. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("Chunks are still being compressed after {}", CLOSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.kvmesh.controller.web;

import io.kvmesh.controller.command.Command;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.Submission;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Commands to the workers of an instance. A command that is posted is waited for up to {@code
 * waitMillis}; the status tells how far it came: 202 it is still under way, 200 all workers did it,
 * 207 some did, 502 none did (400 or 404 where all of them say that the request is to blame). The
 * body is the same in all of them.
 */
@RestController
@RequestMapping("/api/v1/commands")
public final class CommandResource {

  private static final String WAIT = "10000";

  private final CommandDesk desk;
  private final Duration maxWait;

  public CommandResource(CommandDesk desk, Duration maxWait) {
    this.desk = desk;
    this.maxWait = maxWait;
  }

  /** All commands that are known, the latest first. */
  record Commands(List<CommandJson> commands) {}

  /**
   * A command about all that an instance has.
   *
   * @param id by which it can be asked for; absent = one is made
   * @param location of the workers; absent = where an agent keeps its chunks
   */
  record ClearRequest(
      @Nullable String id, @Nullable String instanceId, @Nullable String location) {}

  /** Asks how the workers are. */
  record HealthRequest(@Nullable String id, @Nullable String instanceId) {}

  /**
   * Has workers try to reach those that they would pull from.
   *
   * @param rank of the worker that does; absent = all
   */
  record ReachRequest(@Nullable String id, @Nullable String instanceId, @Nullable Integer rank) {}

  /** Pins the chunks of tokens or of keys. */
  record PinRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable String location,
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys) {}

  /**
   * Takes pins off.
   *
   * @param owner id of the command that pinned
   * @param tokens chunks of these, or of keys; absent = all of the owner
   */
  record UnpinRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable String location,
      @Nullable String owner,
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys) {}

  /**
   * Compresses or decompresses.
   *
   * @param method as the workers name it
   * @param tokens chunks of these, or of keys; absent = all
   */
  record CompressRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable String method,
      @Nullable String location,
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys) {}

  /**
   * Moves chunks to another instance.
   *
   * @param tokens chunks of these, or of keys; absent = all
   * @param copy whether they stay here, too; absent = false
   */
  record MoveRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable String location,
      @Nullable String targetInstanceId,
      @Nullable String targetLocation,
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys,
      @Nullable Boolean copy) {}

  /**
   * Brings a prefix to workers.
   *
   * @param rank of the worker that gets it; absent = all, each the chunks of its own rank
   * @param tokens chunks of these, or of keys, or of hashes
   * @param keyspace of hashes
   * @param deadlineMillis in which it is to be over; absent = as long as the workers allow
   */
  record PrefetchRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable Integer rank,
      @Nullable String location,
      @Nullable List<@Nullable Long> tokens,
      @Nullable List<@Nullable String> keys,
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable String keyspace,
      @Nullable Long deadlineMillis) {}

  /**
   * Has workers hand their chunks over.
   *
   * @param rank of the worker that does; absent = all
   * @param targetInstanceId whose workers get them; absent = whom the controllers name
   * @param deadlineMillis in which it is to be over; absent = as long as the workers allow
   * @param maxBytes that each worker may hand over; absent = any number
   */
  record DrainRequest(
      @Nullable String id,
      @Nullable String instanceId,
      @Nullable Integer rank,
      @Nullable String location,
      @Nullable String targetInstanceId,
      @Nullable Long deadlineMillis,
      @Nullable Long maxBytes) {}

  /**
   * Has workers stay that are being drained, or were.
   *
   * @param rank of the worker that does; absent = all
   */
  record UndrainRequest(@Nullable String id, @Nullable String instanceId, @Nullable Integer rank) {}

  @GetMapping
  Commands commands() {
    return new Commands(desk.list().stream().map(CommandJson::of).toList());
  }

  @GetMapping("/{id}")
  CompletableFuture<CommandJson> command(@PathVariable String id) {
    return desk.progress(id).thenApply(CommandJson::of);
  }

  @DeleteMapping("/{id}")
  CompletableFuture<ResponseEntity<CommandJson>> cancel(
      @PathVariable String id, @RequestParam(defaultValue = WAIT) long waitMillis) {
    requireWait(waitMillis);
    return await(id, desk.cancel(id), waitMillis);
  }

  @PostMapping("/clear")
  CompletableFuture<ResponseEntity<CommandJson>> clear(
      @RequestBody ClearRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Clear(instance(it.instanceId()), location(it.location())), it.id(), waitMillis);
  }

  @PostMapping("/health")
  CompletableFuture<ResponseEntity<CommandJson>> health(
      @RequestBody HealthRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(new Command.Health(instance(it.instanceId())), it.id(), waitMillis);
  }

  @PostMapping("/reach")
  CompletableFuture<ResponseEntity<CommandJson>> reach(
      @RequestBody ReachRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(new Command.Reach(instance(it.instanceId()), it.rank()), it.id(), waitMillis);
  }

  @PostMapping("/pin")
  CompletableFuture<ResponseEntity<CommandJson>> pin(
      @RequestBody PinRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Pin(
            instance(it.instanceId()),
            location(it.location()),
            desk.requiredChunks(it.tokens(), it.keys())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/unpin")
  CompletableFuture<ResponseEntity<CommandJson>> unpin(
      @RequestBody UnpinRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Unpin(
            instance(it.instanceId()),
            location(it.location()),
            desk.chunks(it.tokens(), it.keys()),
            CommandDesk.requireId("owner", it.owner())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/compress")
  CompletableFuture<ResponseEntity<CommandJson>> compress(
      @RequestBody CompressRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Compress(
            instance(it.instanceId()),
            CommandDesk.required("method", it.method()),
            location(it.location()),
            desk.chunks(it.tokens(), it.keys())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/decompress")
  CompletableFuture<ResponseEntity<CommandJson>> decompress(
      @RequestBody CompressRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Decompress(
            instance(it.instanceId()),
            CommandDesk.required("method", it.method()),
            location(it.location()),
            desk.chunks(it.tokens(), it.keys())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/move")
  CompletableFuture<ResponseEntity<CommandJson>> move(
      @RequestBody MoveRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Move(
            instance(it.instanceId()),
            location(it.location()),
            CommandDesk.required("targetInstanceId", it.targetInstanceId()),
            CommandDesk.location("targetLocation", it.targetLocation()),
            desk.chunks(it.tokens(), it.keys()),
            Boolean.TRUE.equals(it.copy())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/prefetch")
  CompletableFuture<ResponseEntity<CommandJson>> prefetch(
      @RequestBody PrefetchRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(
        new Command.Prefetch(
            instance(it.instanceId()),
            location(it.location()),
            it.rank(),
            desk.prefix(it.tokens(), it.keys(), it.hashes(), it.keyspace()),
            positive("deadlineMillis", it.deadlineMillis())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/drain")
  CompletableFuture<ResponseEntity<CommandJson>> drain(
      @RequestBody DrainRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    String target = it.targetInstanceId();
    return run(
        new Command.Drain(
            instance(it.instanceId()),
            location(it.location()),
            it.rank(),
            target == null ? null : CommandDesk.required("targetInstanceId", target),
            positive("deadlineMillis", it.deadlineMillis()),
            positive("maxBytes", it.maxBytes())),
        it.id(),
        waitMillis);
  }

  @PostMapping("/undrain")
  CompletableFuture<ResponseEntity<CommandJson>> undrain(
      @RequestBody UndrainRequest it, @RequestParam(defaultValue = WAIT) long waitMillis) {
    return run(new Command.Undrain(instance(it.instanceId()), it.rank()), it.id(), waitMillis);
  }

  /** 0 if absent. */
  private static long positive(String field, @Nullable Long value) {
    if (value != null && value < 1) {
      throw Problems.badRequest(field, value, "must be at least 1");
    }
    return value == null ? 0 : value;
  }

  private static String instance(@Nullable String instanceId) {
    return CommandDesk.required("instanceId", instanceId);
  }

  private static String location(@Nullable String location) {
    return CommandDesk.location("location", location);
  }

  private CompletableFuture<ResponseEntity<CommandJson>> run(
      Command command, @Nullable String id, long waitMillis) {
    requireWait(waitMillis);
    Submission.Accepted accepted = desk.submit(command, id);
    return await(accepted.id(), accepted.end(), waitMillis);
  }

  private void requireWait(long waitMillis) {
    if (waitMillis < 0 || waitMillis > maxWait.toMillis()) {
      throw Problems.badRequest(
          "waitMillis", waitMillis, "must be between 0 and " + maxWait.toMillis());
    }
  }

  private CompletableFuture<ResponseEntity<CommandJson>> await(
      String id, CompletableFuture<CommandView> end, long waitMillis) {
    return end.thenApply(Optional::of)
        .completeOnTimeout(Optional.empty(), waitMillis, TimeUnit.MILLISECONDS)
        .thenApply(view -> answer(id, view));
  }

  private ResponseEntity<CommandJson> answer(String id, Optional<CommandView> end) {
    CommandView view =
        end.or(() -> desk.find(id)).orElseThrow(() -> Problems.notFound("command", id));
    return ResponseEntity.status(CommandStatus.of(view))
        .location(URI.create("/api/v1/commands/" + id))
        .body(CommandJson.of(view));
  }
}

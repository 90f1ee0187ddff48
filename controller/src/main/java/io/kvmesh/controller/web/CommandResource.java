package io.kvmesh.controller.web;

import io.kvmesh.controller.command.ClearReceipt;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.WorkerReceipt;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Commands to the workers of an instance. The status tells how far it came: 200 all workers did it,
 * 207 some did, 502 none did; the body is the same in all three.
 */
@RestController
@RequestMapping("/api/v1/instances/{instance}")
public final class CommandResource {

  private static final int LONGEST_LOCATION = 200;

  private final CommandService commands;

  public CommandResource(CommandService commands) {
    this.commands = commands;
  }

  /**
   * What to clear.
   *
   * @param location of the workers; absent = where an agent keeps its chunks
   */
  record ClearRequest(@Nullable String location) {}

  /**
   * What the workers did. The index changes when their own events arrive; a barrier on a worker's
   * epoch and sequence tells when.
   *
   * @param complete whether every worker did it
   * @param tokens dropped in all
   */
  record ClearJson(
      String instanceId,
      String location,
      boolean complete,
      long tokens,
      List<ReceiptJson> workers) {}

  /** What one worker did. */
  record ReceiptJson(
      int rank,
      WorkerReceipt.Status status,
      long tokens,
      @Nullable Long chunks,
      @Nullable Long epoch,
      @Nullable Long sequence,
      @Nullable String error) {

    static ReceiptJson of(WorkerReceipt receipt) {
      return new ReceiptJson(
          receipt.worker().rank(),
          receipt.status(),
          receipt.tokens(),
          receipt.chunks(),
          receipt.epoch(),
          receipt.sequence(),
          receipt.error());
    }
  }

  @PostMapping("/clear")
  CompletableFuture<ResponseEntity<ClearJson>> clear(
      @PathVariable String instance,
      @RequestBody(required = false) @Nullable ClearRequest request) {
    return commands
        .clear(instance, location(request))
        .orElseThrow(() -> Problems.notFound("instance", instance))
        .thenApply(receipt -> ResponseEntity.status(status(receipt)).body(json(receipt)));
  }

  private static String location(@Nullable ClearRequest request) {
    String location = request == null ? null : request.location();
    if (location == null) {
      return CommandService.DEFAULT_LOCATION;
    }
    if (location.isBlank() || location.length() > LONGEST_LOCATION) {
      throw Problems.badRequest(
          "location", location, "must have 1 to " + LONGEST_LOCATION + " characters");
    }
    return location;
  }

  private static HttpStatus status(ClearReceipt receipt) {
    if (receipt.complete()) {
      return HttpStatus.OK;
    }
    return receipt.done() > 0 ? HttpStatus.MULTI_STATUS : HttpStatus.BAD_GATEWAY;
  }

  private static ClearJson json(ClearReceipt receipt) {
    return new ClearJson(
        receipt.instanceId(),
        receipt.location(),
        receipt.complete(),
        receipt.tokens(),
        receipt.workers().stream().map(ReceiptJson::of).toList());
  }
}

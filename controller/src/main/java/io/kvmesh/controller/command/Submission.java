package io.kvmesh.controller.command;

import java.util.concurrent.CompletableFuture;

/** Whether a command was taken. */
public sealed interface Submission {

  /**
   * It is under way.
   *
   * @param end completes when it is over, within a bounded time, never exceptionally
   */
  record Accepted(String id, CompletableFuture<CommandView> end) implements Submission {}

  /**
   * No worker of that instance is known.
   *
   * @param target whether it is the target of a move
   */
  record UnknownInstance(String instanceId, boolean target) implements Submission {}

  /** No worker of that rank is known. */
  record UnknownRank(String instanceId, int rank) implements Submission {}

  /** It makes no sense between these instances. */
  record Impossible(String reason) implements Submission {}

  /** There is, or was lately, a command of that id. */
  record Duplicate(String id) implements Submission {}

  /** So many commands are under way already. */
  record Overloaded(int running) implements Submission {}
}

package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ControlReply;
import org.jspecify.annotations.Nullable;

/** What became of a command at one worker. */
public sealed interface WorkerOutcome {

  /**
   * The worker has done it.
   *
   * @param tokens that it did it to
   * @param reply all that it told
   */
  record Done(long tokens, ControlReply reply) implements WorkerOutcome {}

  /**
   * The worker began and ended before it had tried all.
   *
   * @param reason why
   * @param tokens that it did it to
   * @param reply all that it told
   */
  record Stopped(String reason, long tokens, ControlReply reply) implements WorkerOutcome {}

  /**
   * The worker said no, or is of a kind that has no such command.
   *
   * @param code by which it tells the reason, where it has one
   */
  record Refused(String reason, @Nullable String code) implements WorkerOutcome {}

  /** No reply in time; the worker may have done it. */
  record TimedOut() implements WorkerOutcome {}

  /** No connection, or it was lost; in that case the worker may have done it. */
  record Unreachable(String reason) implements WorkerOutcome {}

  /** What it answered is no message. */
  record Undecodable(String reason) implements WorkerOutcome {}

  /**
   * It answered with a reply to something else.
   *
   * @param type name of that reply
   */
  record Unexpected(String type) implements WorkerOutcome {}

  /** The worker has not told its address. */
  record Unregistered(String reason) implements WorkerOutcome {}

  /** Its turn at the worker did not come. */
  record NotSent(String reason) implements WorkerOutcome {}

  /** The outcomes by name. */
  enum Kind {
    /** Done. */
    DONE,
    /** Stopped. */
    STOPPED,
    /** Refused. */
    REFUSED,
    /** TimedOut. */
    TIMED_OUT,
    /** Unreachable. */
    UNREACHABLE,
    /** Undecodable. */
    UNDECODABLE,
    /** Unexpected. */
    UNEXPECTED,
    /** Unregistered. */
    UNREGISTERED,
    /** NotSent. */
    NOT_SENT
  }

  /** Which of them it is. */
  default Kind kind() {
    return switch (this) {
      case Done d -> Kind.DONE;
      case Stopped s -> Kind.STOPPED;
      case Refused r -> Kind.REFUSED;
      case TimedOut t -> Kind.TIMED_OUT;
      case Unreachable u -> Kind.UNREACHABLE;
      case Undecodable u -> Kind.UNDECODABLE;
      case Unexpected u -> Kind.UNEXPECTED;
      case Unregistered u -> Kind.UNREGISTERED;
      case NotSent n -> Kind.NOT_SENT;
    };
  }

  /** Tokens that it was done to. */
  default long tokens() {
    return switch (this) {
      case Done done -> done.tokens;
      case Stopped stopped -> stopped.tokens;
      default -> 0;
    };
  }

  /** What the worker told; null unless it did something. */
  default @Nullable ControlReply told() {
    return switch (this) {
      case Done done -> done.reply;
      case Stopped stopped -> stopped.reply;
      default -> null;
    };
  }

  /** Why it isn't done; null if it is. */
  default @Nullable String error() {
    return switch (this) {
      case Done done -> null;
      case Stopped stopped -> stopped.reason;
      case Refused refused -> refused.reason;
      case TimedOut t -> "no answer in time; the worker may have done it";
      case Unreachable(String reason) -> reason;
      case Undecodable(String reason) -> reason;
      case Unexpected(String type) -> "the worker answered with " + type;
      case Unregistered(String reason) -> reason;
      case NotSent(String reason) -> reason;
    };
  }
}

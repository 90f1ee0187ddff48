package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ControlReply;

/** How a command to one worker ended. */
public sealed interface CommandOutcome {

  /** The worker replied; the reply may still be an error of its own. */
  record Replied(ControlReply reply) implements CommandOutcome {}

  /** No reply within the time given: whether the worker acted isn't known. */
  record TimedOut() implements CommandOutcome {}

  /** What came back is no reply to a command. */
  record Garbled(String reason) implements CommandOutcome {}

  /** The command wasn't sent: a bad address, or too many commands at a time. */
  record NotSent(String reason) implements CommandOutcome {}
}

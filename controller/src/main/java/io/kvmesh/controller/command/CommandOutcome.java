package io.kvmesh.controller.command;

import io.kvmesh.common.wire.control.ControlReply;

/** How the exchange of one message with one worker ended. */
public sealed interface CommandOutcome {

  /** The worker replied; the reply may still be an error of its own. */
  record Replied(ControlReply reply) implements CommandOutcome {}

  /** There was a connection and no reply within the time given. */
  record TimedOut() implements CommandOutcome {}

  /** What came back is no reply to a command. */
  record Undecodable(String reason) implements CommandOutcome {}

  /** There was no connection, or it ended before a reply. */
  record Unreachable(String reason) implements CommandOutcome {}

  /** Nothing was sent: too many commands at a time, or this program is closing. */
  record NotSent(String reason) implements CommandOutcome {}
}

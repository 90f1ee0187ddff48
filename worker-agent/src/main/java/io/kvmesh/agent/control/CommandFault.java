package io.kvmesh.agent.control;

import io.kvmesh.common.wire.control.ErrorMsg;

/** Why a command isn't done; the message names the value and the rule. */
final class CommandFault extends Exception {

  private static final long serialVersionUID = 1L;

  private final String code;

  private CommandFault(String code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** What it says makes no sense. */
  static CommandFault badRequest(String message) {
    return new CommandFault(ErrorMsg.BAD_REQUEST, message);
  }

  /** It makes sense, and this agent can't do it. */
  static CommandFault unsupported(String message) {
    return new CommandFault("unsupported", message);
  }

  /** Not now. */
  static CommandFault busy(String message) {
    return new CommandFault("busy", message);
  }

  /** There is nothing of the kind. */
  static CommandFault notFound(String message) {
    return new CommandFault(ErrorMsg.NOT_FOUND, message);
  }

  ErrorMsg reply() {
    return new ErrorMsg(String.valueOf(getMessage()), code);
  }

  static void requireLocation(String named, String here) throws CommandFault {
    if (!named.equals(here)) {
      throw badRequest("There is no location '%s', only %s".formatted(named, here));
    }
  }
}

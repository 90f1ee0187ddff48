package io.kvmesh.controller.web;

import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.WorkerOutcome;
import io.kvmesh.controller.command.WorkerResult;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** The status that a command is answered with. */
public final class CommandStatus {

  private CommandStatus() {}

  /** Of a command under way or over. */
  public static HttpStatus of(CommandView view) {
    return switch (view.state()) {
      case RUNNING -> HttpStatus.ACCEPTED;
      case DONE -> HttpStatus.OK;
      case PARTIAL -> HttpStatus.MULTI_STATUS;
      case FAILED -> failed(view);
    };
  }

  /**
   * Of one that no worker did: where all say that what was asked makes no sense, or that there is
   * no such thing, whoever asked must change it.
   */
  private static HttpStatus failed(CommandView view) {
    if (all(view, ErrorMsg.BAD_REQUEST)) {
      return HttpStatus.BAD_REQUEST;
    }
    return all(view, ErrorMsg.NOT_FOUND) ? HttpStatus.NOT_FOUND : HttpStatus.BAD_GATEWAY;
  }

  private static boolean all(CommandView view, String code) {
    return !view.workers().isEmpty()
        && view.workers().stream()
            .map(WorkerResult::outcome)
            .allMatch(outcome -> code.equals(code(outcome)));
  }

  private static @Nullable String code(@Nullable WorkerOutcome outcome) {
    return outcome instanceof WorkerOutcome.Refused refused ? refused.code() : null;
  }
}

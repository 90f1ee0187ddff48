package io.kvmesh.controller.config;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a socket that can't be opened as a line instead of a stack trace. */
final class DoorAnalyzer extends AbstractFailureAnalyzer<DoorException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, DoorException cause) {
    return new FailureAnalysis(
        String.valueOf(cause.getMessage()),
        "Stop what listens there, or set kvmesh.zmq.pull-bind, kvmesh.zmq.reply-bind and"
            + " kvmesh.zmq.heartbeat-bind.",
        cause);
  }
}

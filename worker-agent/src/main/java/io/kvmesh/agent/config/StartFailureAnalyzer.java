package io.kvmesh.agent.config;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the agent can't start instead of a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
  }
}

package io.kvmesh.program.settings;

import io.kvmesh.common.settings.InvalidSettingsException;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the faults of the settings as a list instead of a stack trace. */
final class InvalidSettingsAnalyzer extends AbstractFailureAnalyzer<InvalidSettingsException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingsException cause) {
    String faults =
        cause.faults().stream()
            .map(
                fault ->
                    "  %s = '%s'%n      %s".formatted(fault.setting(), fault.value(), fault.rule()))
            .collect(Collectors.joining(System.lineSeparator()));
    return new FailureAnalysis(
        "%d setting(s) can't be used:%n%n%s".formatted(cause.faults().size(), faults),
        "Correct them all, then start again.",
        cause);
  }
}

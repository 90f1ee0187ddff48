package io.kvmesh.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The script by which shells complete commands and options. */
@Command(
    name = "completion",
    description = "Prints the completion for bash and zsh: source <(kvmesh completion).")
final class CompletionAction implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** The specification is set by the parser. */
  @SuppressWarnings("NullAway.Init")
  CompletionAction() {}

  @Override
  public Integer call() {
    CommandSpec root = spec.root();
    spec.commandLine().getOut().print(AutoComplete.bash(root.name(), root.commandLine()));
    spec.commandLine().getOut().flush();
    return Action.GOOD;
  }
}

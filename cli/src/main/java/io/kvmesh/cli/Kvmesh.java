package io.kvmesh.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ScopeType;

/**
 * The command line's entry. Statuses: 0 good, 1 it failed or something is wrong, 2 wrong options or
 * refused, 3 no controller can be reached or trusted, 130 ended by Ctrl-C.
 */
@Command(
    name = "kvmesh",
    description = "Looks at a mesh of KV caches and steers it.",
    mixinStandardHelpOptions = true,
    versionProvider = Kvmesh.Version.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nStatus:%n",
    exitCodeList = {
      "0:good",
      "1:it failed, or something is wrong",
      "2:wrong options, or the controller refuses what was asked for",
      "3:no controller can be reached, or none shows a good certificate",
      "130:ended by Ctrl-C"
    },
    subcommands = {
      StatusAction.class,
      DoctorAction.class,
      WorkersAction.class,
      KeysAction.class,
      LookupAction.class,
      ScoresAction.class,
      HoldersAction.class,
      CommandsAction.class,
      WorkerActions.Health.class,
      WorkerActions.Reach.class,
      WorkerActions.Clear.class,
      WorkerActions.Pin.class,
      WorkerActions.Unpin.class,
      WorkerActions.Compress.class,
      WorkerActions.Decompress.class,
      WorkerActions.Move.class,
      WorkerActions.Prefetch.class,
      WorkerActions.Drain.class,
      WorkerActions.Undrain.class,
      CancelAction.class,
      TopAction.class,
      EventsActions.class,
      CompletionAction.class,
      HelpCommand.class
    })
public final class Kvmesh {

  private Kvmesh() {}

  /** Of the jar; nothing else has one. */
  static final class Version implements IVersionProvider {

    /** For the parser. */
    Version() {}

    @Override
    public String[] getVersion() {
      String version = Kvmesh.class.getPackage().getImplementationVersion();
      return new String[] {"kvmesh " + (version == null ? "(not from a jar)" : version)};
    }
  }

  /** Runs one command and ends the program with its status. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The parser with all commands; for programs that give it other outputs. */
  public static CommandLine commandLine() {
    return new CommandLine(new Kvmesh()).setCaseInsensitiveEnumValuesAllowed(true);
  }
}

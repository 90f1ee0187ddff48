package io.kvmesh.quickstart;

import io.kvmesh.common.process.ParentWatch;
import io.kvmesh.quickstart.options.CommandLine;
import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.options.UsageException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** Starts the system and replays a workload through it. */
public final class Quickstart {

  /** System property that Maven sets: when Maven has ended, however, this process ends too. */
  private static final String ENDS_WITH_PARENT = "kvmesh.quickstart.ends-with-parent";

  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int BAD_OPTION = 2;

  private Quickstart() {}

  public static void main(String[] args) {
    if (Boolean.getBoolean(ENDS_WITH_PARENT)) {
      ProcessHandle.current().parent().map(ProcessHandle::pid).ifPresent(ParentWatch::start);
    }
    System.exit(run(List.of(args), System.out, System.err));
  }

  private static int run(List<String> args, PrintStream out, PrintStream err) {
    try {
      Optional<Options> options = CommandLine.parse(args);
      if (options.isEmpty()) {
        out.print(CommandLine.help());
        return OK;
      }
      return new Session(options.get(), new Screen(out, err)).run() ? OK : FAILED;
    } catch (UsageException e) {
      err.println("quickstart: " + e.getMessage());
      return BAD_OPTION;
    } catch (QuickstartException e) {
      err.println("quickstart: " + e.getMessage());
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }
}

package io.kvmesh.quickstart;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.quickstart.fleet.ChildFailure;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Healer;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.replay.Outcome;
import io.kvmesh.quickstart.replay.ReplayFailure;
import io.kvmesh.quickstart.report.AddressBook;
import io.kvmesh.quickstart.report.ProgressBar;
import io.kvmesh.quickstart.report.ResultJson;
import io.kvmesh.quickstart.report.ResultTable;
import io.kvmesh.quickstart.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run in which processes live. An interrupt from the keyboard ends them on the thread
 * of a shutdown hook, so that what happens on the main thread meanwhile is no fault.
 */
final class LiveRun {

  private final Options options;
  private final Screen screen;
  private final Workload workload;
  private final Fleet fleet;
  private final Http http;
  private final WorkFolder folder;
  private final ResultJson json;

  @GuardedBy("this")
  private @Nullable Healer healer;

  @GuardedBy("this")
  private boolean stopped;

  private volatile boolean interrupted;

  LiveRun(
      Options options,
      Screen screen,
      Workload workload,
      Fleet fleet,
      Http http,
      WorkFolder folder,
      ResultJson json) {
    this.options = options;
    this.screen = screen;
    this.workload = workload;
    this.fleet = fleet;
    this.http = http;
    this.folder = folder;
    this.json = json;
  }

  /** From the first process to the end of the last; true if all went well. */
  boolean run() throws InterruptedException {
    Thread hook = new Thread(this::interrupt, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    boolean good = false;
    try {
      good = startAndReplay();
      if (options.stay() && fleet.isComplete()) {
        stay();
      }
    } catch (QuickstartException e) {
      good = false;
      fail(String.valueOf(e.getMessage()), List.of());
    } finally {
      if (!interrupted) {
        stop(good);
        removeHook(hook);
      }
    }
    return good;
  }

  private boolean startAndReplay() throws QuickstartException, InterruptedException {
    try {
      start();
      replay();
      return true;
    } catch (ChildFailure e) {
      fail(String.valueOf(e.getMessage()), e.logTail());
    } catch (ReplayFailure e) {
      fail(String.valueOf(e.getMessage()), List.of());
    }
    return false;
  }

  private void start() throws ChildFailure, QuickstartException, InterruptedException {
    long begin = System.nanoTime();
    screen.line(
        String.format(
            "Starting kafka, redis, %s and %d agents (logs: %s)",
            options.controllers() == 1 ? "controller" : options.controllers() + " controllers",
            options.workers(),
            folder.logs()));
    fleet.start();
    screen.line(
        String.format(Locale.ROOT, "All ready after %.1f s", (System.nanoTime() - begin) / 1e9));
    json.ready(AddressBook.of(fleet));
    if (options.stay()) {
      AddressBook.lines(fleet).forEach(screen::line);
      heal();
    }
  }

  private void replay()
      throws ChildFailure, ReplayFailure, QuickstartException, InterruptedException {
    ProgressBar bar = screen.progress("Replaying", workload.prompts().size());
    Outcome outcome;
    try {
      outcome =
          new FleetReplay(fleet, fleet.agents(), FleetSettings.MODEL, http, options.pageBytes())
              .run(
                  workload, (done, tally) -> bar.show((int) done, tally.note(), System.nanoTime()));
    } finally {
      bar.clear();
    }
    screen.line("");
    screen.line(ResultTable.format(options, workload.name(), outcome));
    json.finished(outcome);
  }

  private synchronized void heal() {
    if (!stopped) {
      healer = Healer.watch(fleet.members(), new Restarts());
    }
  }

  private void stay() throws InterruptedException {
    screen.line("The system stays up until Ctrl-C. Try: kill -9 PID of a program above; it is");
    screen.line("started again under the same name and ports. Addresses and logs stay the same.");
    new CountDownLatch(1).await();
  }

  private void fail(String message, List<String> details) {
    String reason =
        folder.isFull()
            ? "no room left in " + folder.path() + " (--work-dir): " + message
            : message;
    screen.fault(reason, details);
    try {
      json.failed(reason);
    } catch (QuickstartException e) {
      screen.fault(String.valueOf(e.getMessage()), List.of());
    }
  }

  /** Runs in the shutdown hook. */
  private void interrupt() {
    interrupted = true;
    screen.silence();
    stop(true);
  }

  private void stop(boolean good) {
    synchronized (this) {
      if (stopped) {
        return;
      }
      stopped = true;
      if (healer != null) {
        healer.close();
      }
    }
    closeFleet(good);
    if (good && !options.keep() && !options.stay()) {
      folder.remove();
    } else {
      folder.keep();
      screen.line("Logs are in " + folder.logs());
    }
  }

  private void closeFleet(boolean good) {
    if (!good || interrupted || !fleet.isTraining()) {
      fleet.close();
      return;
    }
    screen.line("Preparing the next run, which will start faster (once; takes some seconds)");
    try {
      fleet.closeTrained();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // it runs already and finds nothing left to stop
    }
  }

  private final class Restarts implements Healer.Listener {

    @Override
    public void ended(Member member, int status) {
      screen.line(member.name() + " has ended with status " + status + "; starting it again");
    }

    @Override
    public void startedAgain(Member member, Duration took) {
      screen.line(
          String.format(
              Locale.ROOT,
              "%s serves again after %.1f s (process %d)",
              member.name(),
              took.toMillis() / 1e3,
              member.pid()));
      try {
        json.addresses(AddressBook.of(fleet));
      } catch (QuickstartException e) {
        screen.fault(String.valueOf(e.getMessage()), List.of());
      }
    }

    @Override
    public void failed(Member member, ChildFailure failure) {
      screen.fault(String.valueOf(failure.getMessage()), failure.logTail());
    }
  }
}

package io.kvmesh.quickstart;

import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.FleetSettings;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Modules;
import io.kvmesh.quickstart.fleet.WorkFolder;
import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.report.ResultJson;
import io.kvmesh.quickstart.report.SimulationTable;
import io.kvmesh.quickstart.simulate.HitTable;
import io.kvmesh.quickstart.simulate.Simulation;
import io.kvmesh.quickstart.workload.Conversations;
import io.kvmesh.quickstart.workload.MooncakeTrace;
import io.kvmesh.quickstart.workload.TraceFormatException;
import io.kvmesh.quickstart.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One run: everything that can be known to be wrong is found before anything is started. */
final class Session {

  private static final int GENERATED_REQUESTS = 600;
  private static final long SEED = 2_026;

  private final Options options;
  private final Screen screen;

  Session(Options options, Screen screen) {
    this.options = options;
    this.screen = screen;
  }

  /**
   * Runs to the end; true if all went well.
   *
   * @throws QuickstartException with one line, if nothing was started
   */
  boolean run() throws QuickstartException, InterruptedException {
    Workload workload = workload();
    ResultJson json = ResultJson.create(options, workload.name());
    if (!options.simulatedSizes().isEmpty()) {
      simulate(workload, json);
      return true;
    }
    Modules modules = Modules.ofThisBuild();
    Path parent = options.workDirectory();
    WorkFolder folder = WorkFolder.create(parent == null ? modules.workDirectory() : parent);
    Http http = new Http();
    Fleet fleet;
    try {
      FleetSettings settings = FleetSettings.of(options);
      // What stays up ends by Ctrl-C, which should not last.
      fleet =
          options.stay()
              ? Fleet.create(settings, modules, folder, http)
              : Fleet.createInTraining(settings, modules, folder, http);
    } catch (QuickstartException e) {
      folder.remove();
      throw e;
    }
    return new LiveRun(options, screen, workload, fleet, http, folder, json).run();
  }

  private void simulate(Workload workload, ResultJson json) throws QuickstartException {
    HitTable table =
        new Simulation(workload, FleetReplay.keyspace(FleetSettings.MODEL))
            .table(options.simulatedSizes());
    json.simulated(table);
    screen.line(SimulationTable.format(table).stripTrailing());
  }

  private Workload workload() throws QuickstartException {
    Path trace = options.trace();
    Integer requests = options.requests();
    if (trace == null) {
      return generated(requests);
    }
    try {
      return MooncakeTrace.read(trace, requests == null ? Integer.MAX_VALUE : requests);
    } catch (TraceFormatException e) {
      throw new QuickstartException(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new QuickstartException("can't read the trace (--trace): " + IoFault.reason(e), e);
    }
  }

  /** The built-in workload; null = its usual number of requests. */
  static Workload generated(@Nullable Integer requests) {
    return Conversations.generate(requests == null ? GENERATED_REQUESTS : requests, SEED);
  }
}

package io.kvmesh.quickstart.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Kafka or Redis; prints {@code ready NAME HOST:PORT} as soon as it serves. */
final class EmbeddedProgram implements Program {

  static final String ADDRESS = "client";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private final String name;
  private final StartCache starts;
  private final String mainClass;
  private final int heapMegabytes;
  private final String address;
  private final Pattern ready;

  /**
   * @param address host:port where it shall listen
   */
  EmbeddedProgram(
      String name, StartCache starts, String mainClass, int heapMegabytes, String address) {
    this.name = name;
    this.starts = starts;
    this.mainClass = mainClass;
    this.heapMegabytes = heapMegabytes;
    this.address = address;
    this.ready = Pattern.compile("^ready " + Pattern.quote(name + " " + address) + "$");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> command(Map<String, String> addresses) {
    return new JavaCommand(starts.classes(), mainClass, heapMegabytes)
        .option("--dir", "data")
        .option("--port", Loopback.port(address))
        .option("--parent-pid", ProcessHandle.current().pid())
        .words();
  }

  @Override
  public Map<String, String> awaitReady(ChildProcess process)
      throws ChildFailure, InterruptedException {
    process.awaitLine(ready, START_TIMEOUT);
    return Map.of(ADDRESS, address);
  }
}

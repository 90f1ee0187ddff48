package io.kvmesh.quickstart.fleet;

import java.util.List;
import java.util.Map;

/** How one program is started and how one sees that it serves. */
interface Program {

  /** Unique in the fleet; names its log and data folder. */
  String name();

  /**
   * The command line.
   *
   * @param addresses of its former life, to be taken again; empty at its first start
   */
  List<String> command(Map<String, String> addresses);

  /** Waits until it serves; its addresses, host:port by name. */
  Map<String, String> awaitReady(ChildProcess process) throws ChildFailure, InterruptedException;
}

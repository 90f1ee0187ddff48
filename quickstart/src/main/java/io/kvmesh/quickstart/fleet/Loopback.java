package io.kvmesh.quickstart.fleet;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.quickstart.QuickstartException;
import java.io.IOException;

/** Addresses on this machine, written host:port. */
final class Loopback {

  static final String HOST = "127.0.0.1";

  private Loopback() {}

  static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /**
   * An address that nothing listens on now.
   *
   * @param port 0 = any
   * @param option by which the user chose the port
   */
  static String choose(int port, String option) throws QuickstartException {
    try {
      if (port == 0) {
        return HOST + ":" + LoopbackPorts.free();
      }
      LoopbackPorts.requireFree(port, "the program");
      return HOST + ":" + port;
    } catch (IOException e) {
      throw new QuickstartException("port " + port + " is in use (" + option + ")", e);
    }
  }
}

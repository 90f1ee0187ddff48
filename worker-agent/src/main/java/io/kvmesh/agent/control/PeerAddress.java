package io.kvmesh.agent.control;

import java.util.function.Supplier;

/**
 * Addresses of other workers in commands.
 *
 * @param own address of this agent's init port
 */
record PeerAddress(Supplier<String> own) {

  private static final String SCHEME = "tcp://";

  /** The address of another worker's init port, host:port. */
  String ofOther(String url) throws CommandFault {
    String address = url.startsWith(SCHEME) ? url.substring(SCHEME.length()) : url;
    if (address.equals(own.get())) {
      throw CommandFault.badRequest("The target " + address + " is this worker itself");
    }
    if (address.isEmpty() || address.indexOf(':') < 0) {
      throw CommandFault.badRequest("The target '" + url + "' is no address, host:port");
    }
    return address;
  }
}

package io.kvmesh.common.zmq;

/** A host as it is written before a port. */
public final class UrlHost {

  private UrlHost() {}

  /** The name or address; an IPv6 address in brackets. */
  public static String of(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}

package io.kvmesh.quickstart.options;

/** Fixed ports on the loopback; 0 = any free one. */
public record Ports(int rest, int controllerPull, int controllerReply, int kafka, int redis) {

  public static final Ports ANY = new Ports(0, 0, 0, 0, 0);
}

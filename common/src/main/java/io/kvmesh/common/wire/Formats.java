package io.kvmesh.common.wire;

/** The format number of everything that is ours: log records, handshake, engine door. */
public final class Formats {

  /** What this version writes, and the highest that it reads. */
  public static final int CURRENT = 1;

  private Formats() {}
}

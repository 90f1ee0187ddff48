package io.kvmesh.quickstart;

/** Starts the system and replays a workload through it. */
public final class Quickstart {

  private Quickstart() {}

  public static void main(String[] args) {}
}

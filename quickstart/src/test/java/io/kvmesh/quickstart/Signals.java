package io.kvmesh.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.quickstart.fleet.Member;

/** Signals that only a shell can send. */
final class Signals {

  private Signals() {}

  /** The program stands still, its connections stay. */
  static void stop(Member member) throws Exception {
    send(member, "STOP");
  }

  /** It goes on. */
  static void goOn(Member member) throws Exception {
    send(member, "CONT");
  }

  private static void send(Member member, String signal) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + signal, "" + member.pid()).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }
}

package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents that can't reach each other are found. */
class DoctorReachTest extends DoctorFixture {

  /**
   * Three agents, of which a is told of by the setup; all are asked the same and answer the same.
   */
  private void threeAgents(String answer) {
    String others =
        """
        {"workers":[
          {"instanceId":"b","rank":0,"state":"LIVE","announcement":
            {"kind":"AGENT","peerInitUrl":"10.0.0.8:8200","chunkTokens":256,
             "hashAlgorithm":"builtin","hashSeed":"0"}},
          {"instanceId":"c","rank":0,"state":"LIVE","announcement":
            {"kind":"AGENT","peerInitUrl":"10.0.0.9:8200","chunkTokens":256,
             "hashAlgorithm":"builtin","hashSeed":"0"}},
        """;
    controller.change(WORKERS, "{\"workers\":[", others).answer(REACH, answer);
  }

  @Test
  void peerThatOthersCannotReach_isFoundOnce_withTheOtherWay() {
    threeAgents(
        """
        {"command":"reach","workers":[{"rank":0,"status":"DONE","peers":[
          {"peerInitUrl":"10.0.0.8:8200","outcome":"TIMED_OUT","millis":2000,"reason":"silence"},
          {"peerInitUrl":"10.0.0.9:8200","outcome":"REACHED","millis":3,"reason":null}]}]}
        """);

    Run run = doctor("--no-connect");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains(
            "TROUBLE  b/0: a/0, b/0, c/0 can't reach it at its peer address 10.0.0.8:8200: timed"
                + " out (silence); it reaches 1 of them",
            "let agents through to each other's 8200 and 8201");
    assertThat(run.out().lines().filter(it -> it.strip().startsWith("change:"))).hasSize(1);
    assertThat(doctor("--no-connect", "--no-reach").status()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "REFUSED,correct its kvmesh.peer.init-bind",
    "UNKNOWN_HOST,advertise a name or an address that all agents know",
    "NO_HANDSHAKE,same kvmesh.security.key-file",
    "UNREACHABLE,network policy"
  })
  void whyAPeerCannotBeReached_saysWhatToChange(String outcome, String change) {
    threeAgents(
        """
        {"command":"reach","workers":[{"rank":0,"status":"DONE","peers":[
          {"peerInitUrl":"10.0.0.9:8200","outcome":"%s","millis":2,"reason":"why"}]}]}
        """
            .formatted(outcome));

    assertThat(doctor("--no-connect").out()).contains("c/0: ", "(why)", change);
  }

  @Test
  void agentThatDoesNotKnowTheQuestion_isNotedAndNoFault() {
    threeAgents(
        """
        {"command":"reach","workers":[
          {"rank":0,"status":"REFUSED","code":"bad_request","error":"unknown type"}]}
        """);

    Run run = doctor("--no-connect");

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .contains("NOTE", "a/0, b/0, c/0: not asked to reach the peers", "unknown type");
  }
}

package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Each thing that can be wrong is found, and nothing else is. */
class DoctorTest extends DoctorFixture {

  @Test
  void healthy_nothingIsWrong() {
    assertThat(doctor())
        .isEqualTo(new Run(0, "1 controller and 1 worker examined: nothing is wrong\n", ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        HEALTH
            + " | \"kafka\":{\"status\":\"UP\"} | \"kafka\":{\"status\":\"DOWN\"}"
            + " | Kafka doesn't answer it | start Kafka, or correct kvmesh.kafka.bootstrap-servers",
        HEALTH
            + " | \"redis\":{\"status\":\"UP\" | \"redis\":{\"status\":\"DOWN\""
            + " | Redis: fine | start Redis, or correct kvmesh.redis.uri",
        HEALTH
            + " | \"redis\":{\"status\":\"UP\",\"details\":{\"reason\":\"fine\" |"
            + " \"redis\":{\"status\":\"DOWN\",\"details\":{\"reason\":\"Redis answers OOM: it is"
            + " full\" | : Redis answers OOM: it is full | do as it says",
        HEALTH
            + " | \"index\":{\"status\":\"UP\" | \"index\":{\"status\":\"OUT_OF_SERVICE\""
            + " | has not read the log to its end | if Kafka is down too, bring that back",
        HEALTH
            + " | \"full\":false | \"full\":true | view in memory is full |"
            + " kvmesh.index.max-placements",
        INFO
            + " | \"seed\":\"0\" | \"seed\":\"1\" | has kvmesh.hash.seed=1, but"
            + " kvmesh.model.hash-seed=0 at a/0 | set kvmesh.hash.seed=0",
        INFO
            + " | \"chunkTokens\":256 | \"chunkTokens\":16"
            + " | has kvmesh.hash.chunk-tokens=16 | set kvmesh.hash.chunk-tokens=256",
        INFO
            + " | \"algorithm\":\"builtin\" | \"algorithm\":\"sha256\""
            + " | has kvmesh.hash.algorithm=sha256 | set kvmesh.hash.algorithm=builtin",
        LOG
            + " | \"misfits\":[] |"
            + " \"misfits\":[{\"setting\":\"retention.ms\",\"value\":\"5\",\"needed\":\"at least"
            + " 9\",\"effect\":\"loss\"}] | the log's topic has retention.ms 5, needed is at least"
            + " 9 | kafka-configs",
        LOG + " | \"millis\":0 | \"millis\":31000 | 31 s behind in partition 0 | more CPU",
        LOG
            + " | \"logMillis\":1000 | \"logMillis\":9000000000000"
            + " | Kafka's clock is | keep time by NTP",
        REJECTED
            + " | \"undecodable\":0},\"records\":[] |"
            + " \"undecodable\":3},\"records\":[{\"partition\":2,\"offset\":17,\"reason\":\"no"
            + " map\"}] | passed over 3 records of the log since its start; the last: partition 2"
            + " offset 17, no map | find who writes them",
        WORKERS
            + " | LIVE | SILENT | its last heartbeat in the log is 20 s old | whether its process"
            + " runs",
        WORKERS
            + " | {\"workers\": |"
            + " {\"writtenOff\":[{\"instanceId\":\"b\",\"rank\":1,\"peerInitUrl\":\"10.0.0.8:8200\",\"writtenOffMillis\":1000}],\"workers\":"
            + " | b/1: was written off at 1970-01-01T00:00:01Z after a long silence and isn't back;"
            + " its peer address was 10.0.0.8:8200 | start it again if it is gone",
        WORKERS + " | LIVE | SUSPECT | a/0: suspect | wait for the snapshot",
        WORKERS
            + " | \"mismatch\":null | \"mismatch\":{\"reference\":\"b/0\",\"fields\":[\"dtype\"]}"
            + " | announces another dtype than b/0 | make its kvmesh.model.*",
        WORKERS
            + " | \"peerInitUrl\":\"127.0.0.1: | \"peerInitUrl\":\"no host:"
            + " | can't be reached from here | run doctor where workers run",
        WORKERS
            + " | \"hashSeed\":\"0\" | \"hashSeed\":\"0\",\"version\":\"0.10.0\""
            + " | a/0: version 0.10.0, while http | upgrade the controllers first",
        WORKERS
            + " | \"gaps\":0 | \"gaps\":0,\"clockAheadMillis\":7200"
            + " | a/0: clocks differ from Kafka's: a/0 7 s ahead | keep time by NTP",
        WORKERS
            + " | \"gaps\":0 | \"gaps\":0,\"clockAheadMillis\":-61000 | a/0 61 s behind"
            + " | ask again after its next heartbeat",
        ASKED
            + " | \"status\":\"DONE\",\"errorCode\":0,\"error\":null |"
            + " \"status\":\"UNREACHABLE\",\"error\":\"refused\" | control port 10.0.0.7:8202:"
            + " unreachable (refused) | start it if it is gone; else correct kvmesh.control.bind",
        ASKED + " | \"errorCode\":0 | \"errorCode\":-3 | isn't well: code -3 | look into its log",
      })
  void oneThingWrong_isFoundAndNothingElse(
      String path, String good, String bad, String what, String change) {
    controller.change(path, good, bad);

    Run run = doctor();

    assertThat(run.out()).contains(what, change).contains("examined: ");
    assertThat(run.out().lines().filter(it -> it.strip().startsWith("change:"))).hasSize(1);
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void peerPortAtWhichNothingListens_isFoundUnlessItIsNotToConnect() throws Exception {
    peer.close();

    assertThat(doctor().out())
        .contains("a/0: nothing listens at its peer address", "kvmesh.peer.init-bind");
    assertThat(doctor("--no-connect").status()).isZero();
  }

  @Test
  void noWorkers_isSaid() {
    controller.answer(WORKERS, "{\"workers\":[]}");

    assertThat(doctor().out()).contains("knows no worker", "same kvmesh.cluster");
  }

  @ParameterizedTest
  @CsvSource({"DRAINING,is being drained", "DRAINED,was drained"})
  void drainedAgent_isNotedAndNoFault(String drain, String what) {
    controller.change(WORKERS, "\"gaps\":0", "\"gaps\":0,\"drain\":\"%s\"".formatted(drain));

    Run run = doctor();

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("NOTE     a/0: " + what, "if it is to stay, kvmesh undrain a");
  }

  @Test
  void healedGaps_areNotedAndNoFault() {
    controller.change(WORKERS, "\"gaps\":0", "\"gaps\":4");

    Run run = doctor();

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("NOTE", "4 gaps in its events, healed since");
  }

  @Test
  void agentOfAnEarlierVersion_isNotedAndNoFault() {
    controller.change(WORKERS, "\"hashSeed\"", "\"version\":\"0.0.9\",\"hashSeed\"");

    Run run = doctor();

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .contains("NOTE", "a/0: version 0.0.9, while", "upgrade these agents, too");
  }

  @Test
  void agentsOfSeveralVersions_areNotedIfTheControllersIsNotKnown() {
    controller
        .change(INFO, "\"build\":{\"version\":\"0.1.0\"},", "")
        .change(
            WORKERS,
            "{\"workers\":[",
            """
            {"workers":[{"instanceId":"b","rank":0,"state":"LIVE","announcement":
               {"kind":"AGENT","version":"2","hashSeed":"0","chunkTokens":256,
                "hashAlgorithm":"builtin"}},
            """)
        .change(WORKERS, "\"ip\"", "\"version\":\"1\",\"ip\"");

    assertThat(doctor("--no-reach").out()).contains("several versions: {1=[a/0], 2=[b/0]}");
  }

  @Test
  void clockWithinSeconds_isGood() {
    controller.change(WORKERS, "\"gaps\":0", "\"gaps\":0,\"clockAheadMillis\":-4999");

    assertThat(doctor().status()).isZero();
  }

  @Test
  void controllersThatDiffer_areFound() throws Exception {
    try (StubController other = healthy(new StubController())) {
      other
          .change(INFO, "0.1.0", "0.2.0")
          .change(INFO, "\"seed\":\"0\"", "\"seed\":\"1\"")
          .answer(WORKERS, "{\"workers\":[]}");

      Run run = Run.of("doctor", "--url", controller.url() + "," + other.url());

      assertThat(run.out())
          .contains("is of version 0.1.0, not 0.2.0", "has other kvmesh.hash.*", "it lacks [a/0]");
      assertThat(run.status()).isEqualTo(1);
    }
  }

  @Test
  void controllerAway_isFound() {
    String url = controller.url();
    controller.close();

    Run run = Run.of("doctor", "--url", url);

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains(url + ": nothing answers there", "start it, or name its REST");
  }

  @Test
  void anotherProgram_isNoController() throws Exception {
    try (StubController other = new StubController()) {
      Run run = Run.of("doctor", "--url", other.url());

      assertThat(run.out()).contains("it isn't a kvmesh controller");
    }
  }

  @Test
  void json_hasTheFindings() {
    controller.change(HEALTH, "\"kafka\":{\"status\":\"UP\"}", "\"kafka\":{\"status\":\"DOWN\"}");

    JsonNode answer = JsonMapper.shared().readTree(doctor("-o", "json").out());

    assertThat(answer.at("/findings/0/severity").asString()).isEqualTo("TROUBLE");
    assertThat(answer.at("/findings/0/where").asString()).isEqualTo(controller.url());
  }
}

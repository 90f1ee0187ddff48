package io.kvmesh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Commands against a controller whose answers are canned: requests, tables, JSON, statuses. */
class KvmeshTest {

  private static final String WORKERS =
      """
      {"ready":true,"workers":[
        {"instanceId":"agent-0","rank":0,"state":"LIVE","epoch":7,"sequence":40,"chunks":12,"gaps":0,
         "lag":{"records":3},"heartbeatAgeMillis":1200,"mismatch":null,
         "clockAheadMillis":-3,"announcement":{"version":"0.1.0","topology":{"zone":"z1","rack":"r7","host":"h"}}},
        {"instanceId":"agent-10","rank":1,"state":"SUSPECT","drain":"DRAINED","epoch":9,"sequence":-1,"chunks":1000,
         "gaps":2,"lag":null,"heartbeatAgeMillis":null,"mismatch":{"fields":["dtype","hashSeed"]},
         "announcement":{"ip":"10.0.0.7","port":8202}}]}
      """;

  private StubController controller;

  @BeforeEach
  void start() throws Exception {
    controller = new StubController();
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  private Run run(String command, String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = command;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[all.length - 2] = "--url";
    all[all.length - 1] = controller.url();
    return Run.of(all);
  }

  @Test
  void workers_areATableForPeople() {
    controller.answer("/api/v1/workers", WORKERS);

    Run run = run("workers");

    assertThat(run)
        .isEqualTo(
            new Run(
                0,
                """
                INSTANCE  RANK  STATE            EPOCH  SEQUENCE  CHUNKS  GAPS  LAG  HEARTBEAT  CLOCK  VERSION  HOST      ZONE/RACK  DIFFERS IN
                agent-0      0  LIVE                 7        40      12     0    3    1200 ms  -3 ms  0.1.0    h         z1/r7      -
                agent-10     1  SUSPECT drained      9        -1    1000     2    -          -      -  -        10.0.0.7  -          dtype,hashSeed
                """,
                ""));
  }

  @Test
  void workersInJson_areTheAnswerItself() {
    controller.answer("/api/v1/workers?instanceId=agent+0", WORKERS);

    Run run = run("workers", "agent 0", "-o", "json");

    assertThat(run.status()).isZero();
    assertThat(json(run.out())).isEqualTo(json(WORKERS));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "lookup --keyspace m@1@0@half --hashes 1,0x2 --asker a | lookup |"
            + " {\"keyspace\":\"m@1@0@half\",\"hashes\":[\"1\",\"0x2\"],\"instanceId\":\"a\"}",
        "scores --tokens 1,2,3 | scores | {\"tokens\":[1,2,3]}",
        "holders --keys m@1@0@a@half | holders | {\"keys\":[\"m@1@0@a@half\"]}",
        "clear a --wait 1 | commands/clear?waitMillis=1000 | {\"instanceId\":\"a\"}",
        "health a --wait 1 | commands/health?waitMillis=1000 | {\"instanceId\":\"a\"}",
        "reach a --rank 1 --wait 1 | commands/reach?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"rank\":1}",
        "pin a --id mine --keys k1,k2 --wait 1 | commands/pin?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"keys\":[\"k1\",\"k2\"],\"id\":\"mine\"}",
        "unpin a --owner mine --wait 1 | commands/unpin?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"owner\":\"mine\"}",
        "compress a --method lz4 --wait 1 | commands/compress?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"method\":\"lz4\"}",
        "decompress a --wait 1 | commands/decompress?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"method\":\"zstd\"}",
        "move a b --copy --tokens 5 --wait 1 | commands/move?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"tokens\":[5],\"targetInstanceId\":\"b\",\"copy\":true}",
        "prefetch a --keyspace m@2@0@half --hashes 1,0x2 --rank 1 --id p --deadline 5 --wait 1 |"
            + " commands/prefetch?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"keyspace\":\"m@2@0@half\",\"hashes\":[\"1\",\"0x2\"],"
            + "\"rank\":1,\"id\":\"p\",\"deadlineMillis\":5000}",
        "prefetch a --tokens 5,6 --wait 1 | commands/prefetch?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"tokens\":[5,6]}",
        "undrain a --wait 1 | commands/undrain?waitMillis=1000 | {\"instanceId\":\"a\"}",
        "undrain a --rank 1 --wait 1 | commands/undrain?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"rank\":1}",
        "drain a --wait 1 | commands/drain?waitMillis=1000 | {\"instanceId\":\"a\"}",
        "drain a --target b --rank 1 --id d --deadline 5 --max-bytes 9 --wait 1 |"
            + " commands/drain?waitMillis=1000 |"
            + " {\"instanceId\":\"a\",\"targetInstanceId\":\"b\",\"rank\":1,\"id\":\"d\","
            + "\"deadlineMillis\":5000,\"maxBytes\":9}",
      })
  void posts_haveTheBodyOfTheRest(String line, String path, String body) {
    controller.answer("/api/v1/" + path, "{\"state\":\"DONE\",\"workers\":[]}");
    String[] words = line.split(" ", 2);

    Run run = run(words[0], words[1].split(" "));

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(controller.requests()).containsExactly("POST /api/v1/" + path + " " + body);
  }

  @Test
  void eventsTail_isALineForEachEvent() {
    controller.answer(
        "/api/v1/events?limit=20&kind=operations%2Cgap&worker=a%2F0",
        """
        {"next":12,"anew":false,"missed":0,"events":[
          {"id":11,"millis":1000,"kind":"OPERATIONS","instanceId":"a","rank":0,"epoch":7,"sequence":9,
           "admits":4,"evicts":1,"hashes":["1","2","3"],"location":"cpu","text":"m@1@0@half"},
          {"id":12,"millis":2500,"kind":"GAP","instanceId":"a","rank":0,"epoch":7,"sequence":null,
           "admits":0,"evicts":0,"hashes":[],"location":"cpu","text":"operations 3 to 5\\u001b[0m"}]}
        """);

    Run run = run("events", "tail", "--kind", "operations,gap", "--worker", "a/0");

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            1970-01-01T00:00:01Z operations a/0 epoch 7 sequence 9 cpu: +4 -1 chunks of m@1@0@half: 1,2,3,...
            1970-01-01T00:00:02.500Z gap        a/0 epoch 7 cpu: operations 3 to 5?[0m
            """);
    assertThat(
            run("events", "tail", "-o", "json", "--kind", "operations,gap", "--worker", "a/0")
                .out()
                .lines()
                .map(line -> json(line).path("id").asInt()))
        .containsExactly(11, 12);
    assertThat(run("events").status()).isEqualTo(2);
  }

  @Test
  void eventsTailThatFollows_goesOnAfterTheLastOne_andTellsWhatItMissed() {
    String command = "{\"kind\":\"COMMAND\",\"instanceId\":\"a\",\"millis\":0,\"text\":\"Clear\"}";
    controller.answer("/api/v1/events?limit=5", "{\"next\":3,\"events\":[%s]}".formatted(command));
    controller.answer(
        "/api/v1/events?limit=1000&after=3",
        "{\"next\":9,\"missed\":4,\"events\":[%s]}".formatted(command));
    controller.answer(
        "/api/v1/events?limit=1000&after=9", "{\"next\":70,\"anew\":true,\"events\":[]}");

    Run run = run("events", "tail", "-f", "-n", "5", "--interval", "0", "--looks", "3");

    assertThat(run.status()).isZero();
    assertThat(run.out().lines()).hasSize(2);
    assertThat(run.err())
        .contains("4 events came faster than they were asked for")
        .contains("the controller was started again");
  }

  @Test
  void eventsTailThatFollows_goesOnWithAnotherController_fromItsOwnEnd() throws Exception {
    String page = "{\"next\":3,\"events\":[]}";
    controller.answer("/api/v1/events?limit=20", page.replace("3", "8"));
    controller.answer("/api/v1/events?limit=1000&after=8", page);
    try (StubController gone = new StubController()) {
      gone.answer("/api/v1/events?limit=20", page).answerOnly(1);
      String urls = gone.url() + "," + controller.url();

      Run run = Run.of("events", "tail", "-f", "--interval", "0", "--looks", "3", "--url", urls);

      assertThat(run.status()).isZero();
      assertThat(run.err()).contains("goes on with " + controller.url());
    }
    assertThat(controller.requests())
        .containsExactly("GET /api/v1/events?limit=20 ", "GET /api/v1/events?limit=1000&after=8 ");
  }

  @Test
  void cancel_seeksTheControllerThatKnowsThePrefetch() throws Exception {
    String path = "/api/v1/commands/p%2F1?waitMillis=10000";
    String stopped =
        """
        {"id":"p/1","command":"prefetch","instanceId":"a","state":"PARTIAL","workers":[
          {"rank":0,"status":"STOPPED","tokens":16,"outcomes":{"BROUGHT":1},"error":"cancelled"}]}
        """;
    try (StubController other = new StubController()) {
      other.answer(path, 207, stopped);
      Run both = Run.of("cancel", "p/1", "--url", controller.url() + "," + other.url());
      assertThat(both.status()).isZero();
      assertThat(both.out()).contains("prefetch p/1: partial", "cancelled", "BROUGHT");
      assertThat(other.requests()).containsExactly("DELETE " + path + " ");
    }
    assertThat(run("cancel", "p/1").status()).as("nobody knows it").isEqualTo(2);
    controller.answer(path, stopped.replace("PARTIAL", "RUNNING"));
    assertThat(run("cancel", "p/1").status()).isEqualTo(1);
    controller.answer(path, 409, "{\"detail\":\"only a prefetch can be cancelled\"}");
    assertThat(run("cancel", "p/1").err()).contains("only a prefetch");
  }

  @Test
  void commandThatFailed_isShownWorkerByWorker() {
    controller.answer(
        "/api/v1/commands/clear?waitMillis=30000",
        502,
        """
        {"id":"c1","command":"clear","instanceId":"a","state":"FAILED","workers":[
          {"rank":0,"status":"UNREACHABLE","tokens":0,"error":"no connection to 10.0.0.7:8202"}]}
        """);

    Run run = run("clear", "a");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("clear c1: failed", "UNREACHABLE", "no connection to 10.0.0.7:8202");
  }

  @Test
  void refusal_hasItsReasonAndStatus2() {
    controller.answer(
        "/api/v1/commands/clear?waitMillis=30000", 404, "{\"detail\":\"no instance b\"}");

    assertThat(run("clear", "b")).isEqualTo(new Run(2, "", "kvmesh: no instance b\n"));
  }

  @Test
  void notReady_isNoFaultOfTheAsker() {
    controller.answer("/api/v1/lookup", 503, "{\"detail\":\"not ready\",\"code\":\"not_ready\"}");

    assertThat(run("lookup", "--hashes", "1")).isEqualTo(new Run(1, "", "kvmesh: not ready\n"));
  }

  @Test
  void wrongOptions_haveStatus2() {
    assertThat(run("lookup").status()).isEqualTo(2);
    assertThat(run("lookup", "--hashes", "1", "--keys", "k").status()).isEqualTo(2);
    assertThat(run("workers", "--output", "xml").status()).isEqualTo(2);
    assertThat(controller.requests()).isEmpty();
  }

  @Test
  void nobodyThere_hasStatus3AndNamesTheAddress() throws Exception {
    String nowhere = nowhere();

    Run run = Run.of("workers", "--url", nowhere);

    assertThat(run).isEqualTo(new Run(3, "", "kvmesh: " + nowhere + ": nothing answers there\n"));
  }

  @Test
  void somethingElseThere_isNoController() {
    controller.answer("/api/v1/keys/stats", "<html>hello</html>");

    Run run = run("keys");

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err()).contains("/api/v1/keys/stats: answers, but not in JSON");
  }

  @Test
  void ofSeveralControllers_theFirstThatAnswersIsAsked() throws Exception {
    controller.answer("/api/v1/workers", WORKERS);

    Run run = Run.of("workers", "--url", nowhere() + "," + controller.url());

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("agent-10");
  }

  @Test
  void commandThatMayHaveArrived_isNotGivenToTheNextController() throws Exception {
    controller.answer("/api/v1/commands/clear?waitMillis=30000", "garbage");
    try (StubController other = new StubController()) {
      Run run = Run.of("clear", "a", "--url", controller.url() + "," + other.url());

      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err()).contains("; it may have been carried out");
      assertThat(other.requests()).isEmpty();
    }
  }

  @Test
  void status_showsEachControllerAndIsBadIfOneIsAway() throws Exception {
    controller
        .answer("/version", "\"0.1.0\"")
        .answer(
            "/actuator/health",
            """
            {"status":"UP","components":{"index":{"status":"UP","details":{"lagRecords":4}},
             "kafka":{"status":"UP"},"redis":{"status":"UP"}}}
            """)
        .answer(
            "/api/v1/instances",
            "{\"instances\":[{\"live\":1,\"suspect\":0,\"silent\":2,\"drained\":1,\"chunks\":30}]}");
    String nowhere = nowhere();

    Run good = run("status");
    Run bad = Run.of("status", "--url", controller.url() + "," + nowhere);

    assertThat(good.status()).isZero();
    assertThat(good.out().lines().skip(1))
        .singleElement()
        .asString()
        .matches(".* 0\\.1\\.0 +up +up +up +4 +1 +0 +2 +1 +30");
    assertThat(bad.status()).isEqualTo(1);
    assertThat(bad.out()).contains(nowhere + "  -        unreachable");
    assertThat(Run.of("status", "--url", nowhere).status()).isEqualTo(3);
  }

  @Test
  void top_looksAsOftenAsItIsTold() {
    controller.answer("/api/v1/workers", WORKERS);

    Run run = run("top", "--looks", "2", "--interval", "0");

    assertThat(run.status()).isZero();
    assertThat(controller.requests()).hasSize(2);
    assertThat(run.out()).contains("OPS/S", "0.0");
  }

  @Test
  void completion_knowsTheCommands() {
    Run run = Run.of("completion");

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("complete -F _complete_kvmesh", "lookup", "--hashes");
  }

  @Test
  void help_tellsTheStatuses() {
    assertThat(Run.of("--help").out()).contains("3", "no controller can be reached");
    assertThat(Run.of("help", "move").out()).contains("TARGET");
  }

  /** An address at which nothing listens: no system gives this port out by itself. */
  private static String nowhere() {
    return "http://127.0.0.1:65535";
  }

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }
}

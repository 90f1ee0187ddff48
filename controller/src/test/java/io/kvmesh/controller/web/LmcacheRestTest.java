package io.kvmesh.controller.web;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.controller.command.CommandOutcome;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** LMCache's resources: their shapes, and what they answer to nonsense. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class LmcacheRestTest {

  private static final int MIB = 1 << 20;
  private static final List<String> POSTS =
      List.of(
          "/query_instance",
          "/lookup",
          "/clear",
          "/pin",
          "/compress",
          "/decompress",
          "/move",
          "/health",
          "/check_finish",
          "/query_worker_info");

  @LocalServerPort private int port;
  @Autowired private RestFixture.Script script;
  @Autowired private WorkerRegistry registry;
  @Autowired private NaiveIndex index;
  private RestClient client;

  @BeforeEach
  void connect() {
    client = new RestClient(port);
    script.ready = true;
    script.client = RestFixture.Script::done;
  }

  @AfterEach
  void stillServes() throws Exception {
    assertThat(client.get("/api/v1/workers").status()).isEqualTo(200);
    registry.remove(new WorkerId("F", 0));
    index.drop(new WorkerId("F", 0));
  }

  private void foreignWorker(long... hashes) {
    registry.put(live(new WorkerId("F", 0), 7, foreign("10.0.0.1:9")));
    index.admit(new WorkerId("F", 0), CPU, Keyspace.foreign(0), hashes);
  }

  private JsonNode posted(String path, String body) throws Exception {
    RestClient.Answer answer = client.post(path, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json().orElseThrow();
  }

  @Test
  void lookup_answersTheEndOfEachPrefixInTokens() throws Exception {
    foreignWorker(3014082381777974454L, Long.parseUnsignedLong("11333758405563688129"));

    JsonNode answer = posted("/lookup", "{\"tokens\":[1,2,3,4,5,6,7,8,9,10],\"other\":1}");

    assertThat(answer.at("/event_id").asString()).startsWith("Lookup");
    assertThat(answer.at("/layout_info")).hasToString("{\"F\":[\"LocalCPUBackend\",8]}");
    assertThat(posted("/lookup", "{\"tokens\":[5]}").at("/layout_info")).hasToString("{}");
    script.ready = false;
    assertThat(client.post("/lookup", "{\"tokens\":[5]}").status()).isEqualTo(503);
  }

  @Test
  void commands_answerEventIdAndTokens() throws Exception {
    JsonNode clear = posted("/clear", "{\"instance_id\":\"A\",\"location\":\"x\"}");
    assertThat(clear.at("/event_id").asString()).startsWith("Clear");
    assertThat(clear.at("/num_tokens").asLong()).isEqualTo(512);
    assertThat(
            posted("/pin", "{\"instance_id\":\"A\",\"location\":\"x\",\"tokens\":[1,2,3]}")
                .at("/num_tokens")
                .asLong())
        .isEqualTo(3);
    String all = "{\"instance_id\":\"A\",\"location\":\"x\",\"method\":\"zstd\"}";
    assertThat(posted("/compress", all).at("/event_id").asString()).startsWith("Compress");
    assertThat(posted("/decompress", all).at("/event_id").asString()).startsWith("Decompress");
    JsonNode move =
        posted(
            "/move",
            "{\"old_position\":[\"A\",\"x\"],\"new_position\":[\"B\",\"x\"],\"should_copy\":true}");
    assertThat(move.at("/event_id").asString()).startsWith("Move");
    assertThat(move.at("/num_tokens").asLong()).isEqualTo(256);
    String id = move.at("/event_id").asString();
    assertThat(posted("/check_finish", "{\"event_id\":\"" + id + "\"}"))
        .hasToString("{\"status\":\"finished\"}");
  }

  @Test
  void health_hasCodesByRank() throws Exception {
    JsonNode good = posted("/health", "{\"instance_id\":\"A\"}");
    assertThat(good.at("/event_id").asString()).startsWith("health");
    assertThat(good.at("/error_codes")).hasToString("{\"0\":0}");
    for (var expected :
        Map.of(
                new CommandOutcome.Replied(new HealthWorkerRetMsg(-1)), -1,
                new CommandOutcome.Replied(new ErrorMsg("no")), -1001,
                new CommandOutcome.Replied(new ClearWorkerRetMsg(1)), -1002,
                new CommandOutcome.Undecodable("c1"), -1003,
                new CommandOutcome.TimedOut(), -1004,
                new CommandOutcome.Unreachable("gone"), -1004,
                new CommandOutcome.NotSent("full"), -1005)
            .entrySet()) {
      script.client = (ip, to, request, timeout) -> RestFixture.Script.answer(expected.getKey());
      assertThat(posted("/health", "{\"instance_id\":\"A\"}").at("/error_codes/0").asInt())
          .isEqualTo(expected.getValue());
    }
  }

  @Test
  void refusalOfAWorker_isToldWithItsReason() throws Exception {
    script.client =
        (ip, to, request, timeout) ->
            RestFixture.Script.answer(
                new CommandOutcome.Replied(new ErrorMsg("no compressed-bytes", "unsupported")));

    RestClient.Answer answer =
        client.post("/compress", "{\"instance_id\":\"A\",\"location\":\"x\",\"method\":\"zstd\"}");

    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.at("/detail").asString()).contains("A/0: no compressed-bytes");
    assertThat(answer.at("/event_id").asString()).startsWith("Compress");
    assertThat(answer.at("/workers/0/status").asString()).isEqualTo("REFUSED");
    assertThat(answer.at("/workers/0/code").asString()).isEqualTo("unsupported");
  }

  @Test
  void workersOfDifferentTokens_areNoSuccess() throws Exception {
    registry.put(live(new WorkerId("F", 0), 7, foreign(null)));
    registry.put(live(new WorkerId("F", 1), 7, foreign(null)));
    AtomicInteger tokens = new AtomicInteger();
    script.client =
        (ip, to, request, timeout) ->
            RestFixture.Script.answer(
                new CommandOutcome.Replied(new ClearWorkerRetMsg(tokens.incrementAndGet())));
    try {
      RestClient.Answer answer =
          client.post("/clear", "{\"instance_id\":\"F\",\"location\":\"x\"}");
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.at("/detail").asString())
          .contains("different numbers", "F/0: 1 tokens", "F/1: 2 tokens");
    } finally {
      registry.remove(new WorkerId("F", 1));
    }
  }

  @Test
  void workers_haveLmcachesFields() throws Exception {
    JsonNode info = posted("/query_worker_info", "{\"instance_id\":\"all\",\"worker_ids\":null}");
    assertThat(info.at("/event_id").asString()).startsWith("QueryWorkerInfo");
    assertThat(info.at("/worker_infos").size()).isEqualTo(2);
    assertThat(info.at("/worker_infos/0"))
        .hasToString(
            "{\"instance_id\":\"A\",\"worker_id\":0,\"ip\":\"127.0.0.1\",\"port\":1,"
                + "\"peer_init_url\":\"url-A\",\"registration_time\":0.005,"
                + "\"last_heartbeat_time\":0.005,\"key_count\":3}");
    assertThat(
            posted("/query_worker_info", "{\"instance_id\":\"A\",\"worker_ids\":[0]}")
                .at("/worker_infos")
                .size())
        .isEqualTo(1);
    assertThat(client.get("/controller/workers").at("/total_count").asInt()).isEqualTo(2);
    assertThat(client.get("/controller/workers?worker_id=5").at("/total_count").asInt())
        .isEqualTo(2);
    assertThat(client.get("/controller/workers?instance_id=A").at("/workers/0/worker_id").asInt())
        .isZero();
    assertThat(
            client
                .get("/controller/workers?instance_id=B&worker_id=0")
                .at("/instance_id")
                .asString())
        .isEqualTo("B");
    assertThat(client.get("/controller/key-stats").text())
        .isEqualTo(
            "{\"total_key_count\":6,\"total_instance_count\":2,\"total_worker_count\":2,"
                + "\"instances\":[{\"instance_id\":\"A\",\"key_count\":3,\"worker_count\":1},"
                + "{\"instance_id\":\"B\",\"key_count\":3,\"worker_count\":1}]}");
    JsonNode at = posted("/query_instance", "{\"event_id\":\"e\",\"ip\":\"127.0.0.1\"}");
    assertThat(at.at("/event_id").asString()).startsWith("QueryInst");
    assertThat(at.at("/res").asString()).isEqualTo("A");
    assertThat(posted("/query_instance", "{\"ip\":\"10.9.9.9\"}").at("/res").isNull()).isTrue();
  }

  @Test
  void metrics_areLmcachesGauges() throws Exception {
    RestClient.Answer answer = client.get("/metrics");

    assertThat(answer.contentType()).startsWith("text/plain");
    assertThat(answer.text())
        .isEqualTo(
            """
            # HELP lmcache:cache_controller_kv_pool_keys_count Chunks
            # TYPE lmcache:cache_controller_kv_pool_keys_count gauge
            lmcache:cache_controller_kv_pool_keys_count{role="controller"} 6.0
            """);
  }

  @Test
  void versions_andLogLevels() throws Exception {
    assertThat(client.get("/version").text()).isEqualTo("\"1.2.3\"");
    assertThat(client.get("/lmc_version").text()).isEqualTo("\"0.4.5.dev0\"");
    assertThat(client.get("/commit_id").text()).isEqualTo("\"abc\"");
    String logger = "io.kvmesh.controller.web.ApiErrors";
    assertThat(client.get("/loglevel").text()).contains("ROOT: ");
    assertThat(client.get("/loglevel?logger_name=" + logger + "&level=warning").text())
        .isEqualTo(logger + ": WARN\n");
    assertThat(client.get("/loglevel?logger_name=" + logger).text()).isEqualTo(logger + ": WARN\n");
    assertThat(client.get("/loglevel?logger_name=no.such").status()).isEqualTo(404);
    assertThat(client.get("/loglevel?logger_name=" + logger + "&level=loud").status())
        .isEqualTo(400);
    assertThat(client.get("/loglevel?level=info").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/lookup    | {}                                | 400 | tokens",
        "/lookup    | {\"tokens\":[]}                   | 400 | tokens",
        "/lookup    | {\"tokens\":[1,-5]}               | 400 | tokens[1]",
        "/lookup    | {\"tokens\":[1.0]}                | 400 | tokens[0]",
        "/lookup    | {\"tokens\":[\"1\"]}              | 400 | tokens[0]",
        "/lookup    | {\"tokens\":\"1\"}                | 400 | tokens",
        "/lookup    | []                                | 400 | body",
        "/clear     | {\"location\":\"x\"}              | 400 | instance_id",
        "/clear     | {\"instance_id\":\"A\"}           | 400 | location",
        "/clear     | {\"instance_id\":[],\"location\":\"x\"}     | 400 | instance_id",
        "/clear     | {\"instance_id\":\"Z\",\"location\":\"x\"}  | 404 | instance",
        "/clear     | {\"instance_id\":\"A\",\"location\":\"x\",\"event_id\":\"a b\"} | 400 |"
            + " event_id",
        "/pin       | {\"instance_id\":\"A\",\"location\":\"x\"}  | 400 | tokens",
        "/pin       | {\"instance_id\":\"A\",\"location\":\"x\",\"tokens\":[]} | 400 | tokens",
        "/pin       | {\"instance_id\":\"A\",\"location\":\"x\",\"tokens\":[-1]} | 400 | tokens[0]",
        "/pin       | {\"instance_id\":\"Z\",\"location\":\"x\",\"tokens\":[1]} | 404 | instance",
        "/compress  | {\"instance_id\":\"A\",\"location\":\"x\"}  | 400 | method",
        "/compress  | {\"instance_id\":\"A\",\"location\":\"x\",\"method\":\"m\",\"tokens\":[]} |"
            + " 400 | tokens",
        "/decompress | {\"instance_id\":\"Z\",\"location\":\"x\",\"method\":\"m\"} | 404 |"
            + " instance",
        "/move      | {\"new_position\":[\"B\",\"x\"]}  | 400 | old_position",
        "/move      | {\"old_position\":[\"A\",\"x\"]}  | 400 | new_position",
        "/move      | {\"old_position\":[\"A\"],\"new_position\":[\"B\",\"x\"]} | 400 |"
            + " old_position",
        "/move      | {\"old_position\":[\"A\",5],\"new_position\":[\"B\",\"x\"]} | 400 |"
            + " old_position[1]",
        "/move      | {\"old_position\":[\"A\",null],\"new_position\":[\"B\",\"x\"]} | 400 |"
            + " old_position[1]",
        "/move      | {\"old_position\":[\"A\",\"x\"],\"new_position\":[\"A\",\"x\"]} | 400 |"
            + " target instance",
        "/move      | {\"old_position\":[\"A\",\"x\"],\"new_position\":[\"Z\",\"x\"]} | 404 |"
            + " target instance",
        "/move      | {\"old_position\":[\"Z\",\"x\"],\"new_position\":[\"A\",\"x\"]} | 404 |"
            + " instance",
        "/health    | {}                                | 400 | instance_id",
        "/health    | {\"instance_id\":\"Z\"}           | 404 | instance",
        "/check_finish | {}                             | 400 | event_id",
        "/check_finish | {\"event_id\":\"never\"}       | 404 | event_id",
        "/query_instance | {}                           | 400 | ip",
        "/query_instance | {\"ip\":7}                   | 400 | ip",
        "/query_worker_info | {}                        | 400 | instance_id",
        "/query_worker_info | {\"instance_id\":\"Z\"}   | 404 | instance_id",
        "/query_worker_info | {\"instance_id\":\"A\",\"worker_ids\":[9]}  | 404 | worker_ids",
        "/query_worker_info | {\"instance_id\":\"A\",\"worker_ids\":[-1]} | 400 | worker_ids[0]",
        "/query_worker_info | {\"instance_id\":\"A\",\"worker_ids\":[\"x\"]} | 400 | worker_ids[0]",
      })
  void wrongRequests_areNamed(String path, String body, int status, String field) throws Exception {
    RestClient.Answer answer = client.post(path, body);

    assertProblem(answer, status);
    assertThat(answer.at("/field").asString()).as(answer.text()).isEqualTo(field);
  }

  @ParameterizedTest
  @CsvSource({
    "/controller/workers?instance_id=Z,404",
    "/controller/workers?instance_id=A&worker_id=9,404",
    "/controller/workers?instance_id=A&worker_id=-1,400",
    "/controller/workers?instance_id=A&worker_id=x,400",
    "/env,404",
    "/threads,404",
    "/run_script,404",
    "/static/index.html,404",
    "/lookup,405"
  })
  void wrongReads_areProblems(String path, int status) throws Exception {
    assertProblem(client.get(path), status);
  }

  @Test
  void duplicateEventId_isRefused() throws Exception {
    String body =
        "{\"instance_id\":\"A\",\"location\":\"x\",\"event_id\":\"once-%d\"}"
            .formatted(System.nanoTime());

    assertThat(client.post("/clear", body).status()).isEqualTo(200);
    assertProblem(client.post("/clear", body), 409);
  }

  @Test
  void largeAndStrangeBodies_areRefusedEverywhere() throws Exception {
    byte[] large = new byte[50 * MIB];
    Arrays.fill(large, (byte) ' ');
    String tokens =
        IntStream.range(0, RestFixture.MAX_TOKENS + 1)
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(","));
    String million = "{\"tokens\":[" + "7,".repeat(999_999) + "7]}";
    for (String path : POSTS) {
      assertProblem(
          client.send("POST", path, "application/json", BodyPublishers.ofByteArray(large)), 413);
      assertProblem(client.post(path, million), 413);
      assertProblem(client.send("POST", path, "text/plain", BodyPublishers.ofString("{}")), 415);
      assertProblem(client.post(path, ""), 400);
      assertProblem(client.post(path, "{"), 400);
    }
    RestClient.Answer tooMany = client.post("/lookup", "{\"tokens\":[" + tokens + "]}");
    assertProblem(tooMany, 413);
    assertThat(tooMany.at("/detail").asString()).contains("2001", "at most 2000");
  }

  private static void assertProblem(RestClient.Answer answer, int status) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.contentType()).as(answer.text()).startsWith("application/problem+json");
    assertThat(answer.text()).doesNotContain("Exception", "tools.jackson", "io.kvmesh", "\tat ");
  }
}

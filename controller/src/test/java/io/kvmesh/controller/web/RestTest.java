package io.kvmesh.controller.web;

import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.web.RestFixture.A0;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What a client that does everything right gets. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class RestTest {

  private static final String KEYSPACE = keyspace().toString();

  @Autowired private RestFixture.Script script;
  @Autowired private WorkerRegistry registry;
  @Autowired private NaiveIndex index;
  @Autowired private Trail trail;
  @LocalServerPort private int port;
  private RestClient client;

  @BeforeEach
  void connect() {
    client = new RestClient(port);
    script.ready = true;
    script.barriers.clear();
  }

  @Test
  void workers_showStateEpochSequenceLagAndGaps() throws Exception {
    RestClient.Answer answer = client.get("/api/v1/workers");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("/ready").asBoolean()).isTrue();
    assertThat(answer.at("/workers/0/instanceId").asString()).isEqualTo("A");
    assertThat(answer.at("/workers/0/state").asString()).isEqualTo("LIVE");
    assertThat(answer.at("/workers/0/epoch").asLong()).isEqualTo(5);
    assertThat(answer.at("/workers/0/sequence").asLong()).isEqualTo(7);
    assertThat(answer.at("/workers/0/gaps").asLong()).isEqualTo(1);
    assertThat(answer.at("/workers/0/lag/records").asLong()).isEqualTo(4);
    assertThat(answer.at("/workers/0/announcement/model").asString()).isEqualTo("m");
    assertThat(answer.at("/workers/0/mismatch").isNull()).isTrue();
    assertThat(answer.at("/workers/0/locations/LocalCPUBackend/digest").asString())
        .isEqualTo("18446744073709551615");
    assertThat(answer.at("/workers/1/mismatch/fields/0").asString()).isEqualTo("hashSeed");
    assertThat(answer.at("/workers/1/mismatch/reference").asString()).isEqualTo("A/0");
  }

  @Test
  void workers_tellWhoWasWrittenOff() throws Exception {
    RestClient.Answer answer = client.get("/api/v1/workers");

    assertThat(answer.at("/writtenOff/0/instanceId").asString()).isEqualTo("gone");
    assertThat(answer.at("/writtenOff/0/epoch").asLong()).isEqualTo(3);
    assertThat(answer.at("/writtenOff/0/peerInitUrl").isNull()).isTrue();
    assertThat(answer.at("/writtenOff/0/writtenOffMillis").asLong()).isPositive();
    assertThat(client.get("/api/v1/workers?instanceId=B").at("/writtenOff").size()).isZero();
  }

  @Test
  void oneWorkerAndOneInstance_areShownAlone() throws Exception {
    assertThat(client.get("/api/v1/workers/B/0").at("/epoch").asLong()).isEqualTo(6);
    assertThat(client.get("/api/v1/workers?instanceId=B").at("/workers").size()).isEqualTo(1);
    assertThat(client.get("/api/v1/instances").at("/instances").size()).isEqualTo(2);
    assertThat(client.get("/api/v1/instances").at("/instances/0/live").asLong()).isEqualTo(1);
    assertThat(client.get("/api/v1/instances/A").at("/workers/0/rank").asInt()).isZero();
  }

  @Test
  void instanceIdWithOddCharacters_isFound() throws Exception {
    WorkerId odd = new WorkerId("vllm pod:1.2 ü", 3);
    WorkerView view = Workers.live(odd, 9, Workers.agent("url"));
    registry.put(view);
    try {
      assertThat(client.get("/api/v1/workers/vllm%20pod:1.2%20%C3%BC/3").status()).isEqualTo(200);
    } finally {
      registry.remove(odd);
    }
  }

  @Test
  void lookup_namesTheBestAndAllOthers() throws Exception {
    RestClient.Answer answer =
        client.post(
            "/api/v1/lookup", "{\"hashes\":[1,2,3,4],\"keyspace\":\"%s\"}".formatted(KEYSPACE));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("/best/instanceId").asString()).isEqualTo("A");
    assertThat(answer.at("/best/chunks").asInt()).isEqualTo(3);
    assertThat(answer.at("/best/peerInitUrl").asString()).isEqualTo("url-A");
    assertThat(answer.at("/holders").size()).isEqualTo(2);
    assertThat(answer.at("/holders/1/chunks").asInt()).isEqualTo(1);
  }

  @Test
  void lookup_ofAWorker_excludesItsInstanceAndWhatDoesNotMatch() throws Exception {
    RestClient.Answer answer =
        client.post(
            "/api/v1/lookup",
            "{\"hashes\":[1],\"keyspace\":\"%s\",\"instanceId\":\"A\"}".formatted(KEYSPACE));

    assertThat(answer.at("/best").isNull()).isTrue();
    assertThat(answer.at("/mismatched").asInt()).isEqualTo(1);
  }

  @Test
  void lookup_byKeys_takesTheirKeyspace() throws Exception {
    RestClient.Answer answer =
        client.post("/api/v1/lookup", "{\"keys\":[\"m@4@0@1@bfloat16\",\"m@4@0@2@bfloat16\"]}");

    assertThat(answer.at("/best/chunks").asInt()).isEqualTo(2);
  }

  @Test
  void hashes_keepAll64BitsInEveryWriting() throws Exception {
    String body =
        """
        {"hashes":[1, 4294967297, "9007199254740993", "0x8000000000000001",
                   -9223372036854775807, "0x1"], "keyspace":"%s"}
        """
            .formatted(KEYSPACE);

    RestClient.Answer answer = client.post("/api/v1/holders", body);

    assertThat(IntStream.range(0, 6).mapToObj(i -> answer.at("/chunks/" + i + "/hash").asString()))
        .containsExactly(
            "1",
            "4294967297",
            "9007199254740993",
            "9223372036854775809",
            "9223372036854775809",
            "1");
    assertThat(IntStream.range(0, 6).mapToObj(i -> answer.at("/chunks/" + i + "/holders").size()))
        .containsExactly(2, 1, 1, 1, 1, 2);
  }

  @Test
  void hashNextToOneThatIsHeld_isNotHeld() throws Exception {
    RestClient.Answer answer =
        client.post(
            "/api/v1/holders",
            "{\"hashes\":[9007199254740992,9007199254740994,\"18446744073709551615\"]}");

    assertThat(answer.at("/chunks/0/holders").toString()).isEqualTo("[]");
    assertThat(answer.at("/chunks/1/holders").toString()).isEqualTo("[]");
    assertThat(answer.at("/chunks/2/hash").asString()).isEqualTo("18446744073709551615");
  }

  @Test
  void tokens_areHashedAsTheEnginesDo() throws Exception {
    RestClient.Answer answer = client.post("/api/v1/holders", "{\"tokens\":[1,2,3,4,5,6,7,8,9]}");

    assertThat(answer.at("/chunks").size()).isEqualTo(2);
    assertThat(answer.at("/chunks/0/hash").asString()).isEqualTo("4965923915475442220");
    assertThat(answer.at("/chunks/1/hash").asString()).isEqualTo("12153828633230017562");
    assertThat(
            client
                .post("/api/v1/holders", "{\"tokens\":[1,2,3,4,5],\"partialChunk\":true}")
                .at("/chunks")
                .size())
        .isEqualTo(2);
  }

  @Test
  void lookup_byTokens_tellsHowManyAreHeld() throws Exception {
    index.admit(A0, Workers.CPU, keyspace(), 4965923915475442220L, -6292915440479534054L);

    RestClient.Answer answer =
        client.post(
            "/api/v1/lookup",
            "{\"tokens\":[1,2,3,4,5,6,7,8,9,9,9,9,9],\"keyspace\":\"%s\"}".formatted(KEYSPACE));

    assertThat(answer.at("/best/chunks").asInt()).isEqualTo(2);
    assertThat(answer.at("/best/tokens").asInt()).isEqualTo(8);
    assertThat(client.post("/api/v1/lookup", "{\"tokens\":[1]}").at("/best").isNull()).isTrue();
  }

  @Test
  void scores_nameInstancesWithStateAndAge() throws Exception {
    RestClient.Answer answer =
        client.post(
            "/api/v1/scores",
            "{\"hashes\":[1,2,3],\"keyspace\":\"%s\",\"oneRank\":true}".formatted(KEYSPACE));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("/instances/0/instanceId").asString()).isEqualTo("A");
    assertThat(answer.at("/instances/0/chunks").asInt()).isEqualTo(3);
    assertThat(answer.at("/instances/0/score").asDouble()).isEqualTo(3.0);
    assertThat(answer.at("/instances/0/state").asString()).isEqualTo("LIVE");
    assertThat(answer.at("/instances/0/heartbeatAgeMillis").asLong()).isEqualTo(100);
    assertThat(answer.at("/instances/0/ranks/0/locations/LocalCPUBackend").asInt()).isEqualTo(3);
    assertThat(answer.at("/instances/1/chunks").asInt()).isEqualTo(1);
    assertThat(answer.at("/leftOut").asInt()).isZero();

    RestClient.Answer first =
        client.post(
            "/api/v1/scores",
            "{\"hashes\":[1],\"keyspace\":\"%s\",\"limit\":1}".formatted(KEYSPACE));
    assertThat(first.at("/instances").size()).isEqualTo(1);
    assertThat(first.at("/instances/0/missingRanks").asInt()).isEqualTo(3);
    assertThat(first.at("/leftOut").asInt()).isEqualTo(1);
  }

  @Test
  void log_showsLagMisfitsAndWhatWasPassedOver() throws Exception {
    RestClient.Answer log = client.get("/api/v1/log");
    assertThat(log.at("/misfits/0/setting").asString()).isEqualTo("cleanup.policy");
    assertThat(log.at("/partitions/0/records").asLong()).isEqualTo(4);
    assertThat(log.at("/partitions/0/visibleMillis").asLong()).isEqualTo(30);

    RestClient.Answer rejected = client.get("/api/v1/log/rejected");
    assertThat(rejected.at("/counts/UNDECODABLE").asLong()).isEqualTo(2);
    assertThat(rejected.at("/records/0/offset").asLong()).isEqualTo(4);
    assertThat(rejected.at("/records/0/firstBytes").asString()).isEqualTo("c1c1c1");
    assertThat(client.get("/api/v1/log/rejected?limit=1").at("/records").size()).isEqualTo(1);
    assertThat(client.get("/api/v1/log/rejected?limit=0").status()).isEqualTo(400);
  }

  @Test
  void events_areChosenByWorkerAndKind_andReadOnFromAnId() throws Exception {
    trail.addBatch(8, A0, 5, 9, 2, 1, List.of(-1L, 2L), "LocalCPUBackend", KEYSPACE);
    RestClient.Answer one = client.get("/api/v1/events?worker=A/0&kind=operations,GAP&limit=1");

    assertThat(one.at("/events/0/kind").asString()).isEqualTo("OPERATIONS");
    assertThat(one.at("/events/0/admits").asInt()).isEqualTo(2);
    assertThat(one.at("/events/0/hashes/0").asString()).isEqualTo("18446744073709551615");
    assertThat(one.at("/events/0/text").asString()).isEqualTo(KEYSPACE);
    assertThat(client.get("/api/v1/events?worker=A").at("/events").size()).isPositive();
    assertThat(client.get("/api/v1/events?worker=C").at("/events").size()).isZero();

    long next = one.at("/next").asLong();
    trail.add(TrailEvent.Kind.STATE, A0, 5, 9, "silent, was live");
    RestClient.Answer more = client.get("/api/v1/events?after=" + next);
    assertThat(more.at("/events/0/text").asString()).isEqualTo("silent, was live");
    assertThat(more.at("/missed").asLong()).isZero();
    assertThat(more.at("/anew").asBoolean()).isFalse();
    assertThat(client.get("/api/v1/events?after=1").at("/anew").asBoolean()).isTrue();

    assertThat(client.get("/api/v1/events?limit=1001").status()).isEqualTo(400);
    assertThat(client.get("/api/v1/events?kind=nonsense").status()).isEqualTo(400);
    assertThat(client.get("/api/v1/events?after=x").status()).isEqualTo(400);
  }

  @Test
  void notReady_is503AndNeverAMiss() throws Exception {
    script.ready = false;

    for (String path : new String[] {"/api/v1/lookup", "/api/v1/holders", "/api/v1/scores"}) {
      RestClient.Answer answer = client.post(path, "{\"hashes\":[1]}");
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.contentType()).startsWith("application/problem+json");
      assertThat(answer.at("/code").asString()).isEqualTo("not_ready");
    }
    assertThat(client.get("/api/v1/workers").at("/ready").asBoolean()).isFalse();
  }

  @Test
  void barrier_tellsWhatTheViewHas() throws Exception {
    script.barriers.put(A0, new Barrier.Answer(Barrier.Outcome.APPLIED, 5, 8));
    String path = "/api/v1/workers/A/0/applied?epoch=5&sequence=7&timeoutMillis=100";

    RestClient.Answer applied = client.get(path);
    assertThat(applied.status()).isEqualTo(200);
    assertThat(applied.at("/applied").asBoolean()).isTrue();
    assertThat(applied.at("/sequence").asLong()).isEqualTo(8);

    script.barriers.put(A0, new Barrier.Answer(Barrier.Outcome.SUPERSEDED, 9, 0));
    assertThat(client.get(path).at("/outcome").asString()).isEqualTo("SUPERSEDED");

    script.barriers.put(A0, new Barrier.Answer(Barrier.Outcome.REFUSED, -1, -1));
    assertThat(client.get(path).status()).isEqualTo(503);
  }

  @Test
  void keyStats_countPlacements() throws Exception {
    RestClient.Answer answer = client.get("/api/v1/keys/stats");

    assertThat(answer.at("/placements").asLong()).isGreaterThanOrEqualTo(7);
    assertThat(answer.at("/perInstance/0/instanceId").asString()).isEqualTo("A");
    assertThat(answer.at("/perInstance/0/workers").asInt()).isEqualTo(1);
    assertThat(answer.at("/keyspaces/0/keyspace").asString()).isEqualTo(KEYSPACE);
    assertThat(answer.at("/perWorker/0/chunks").asLong())
        .isEqualTo(answer.at("/perInstance/0/chunks").asLong())
        .isGreaterThanOrEqualTo(3);
    assertThat(answer.at("/perWorker/0/digest").isString()).isTrue();
  }

  @Test
  void largestRequest_isTaken() throws Exception {
    String hashes =
        IntStream.range(0, RestFixture.MAX_HASHES)
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(","));

    assertThat(client.post("/api/v1/lookup", "{\"hashes\":[" + hashes + "]}").status())
        .isEqualTo(200);
  }
}

package io.kvmesh.controller.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.controller.command.CommandOutcome;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Commands over REST, with workers that the test scripts. */
@ResourceLock(RestFixture.SHARED)
@SpringBootTest(
    classes = RestFixture.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.config.name=controller")
class CommandRestTest {

  private static final String COMMANDS = "/api/v1/commands/";

  @LocalServerPort private int port;
  @Autowired private RestFixture.Script script;
  private RestClient client;

  @BeforeEach
  void connect() {
    client = new RestClient(port);
    script.ready = true;
    script.client = RestFixture.Script::done;
  }

  @Test
  void clear_isAReceiptOfEachWorker() throws Exception {
    RestClient.Answer answer = client.post(COMMANDS + "clear", "{\"instanceId\":\"A\"}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("/command").asString()).isEqualTo("clear");
    assertThat(answer.at("/state").asString()).isEqualTo("DONE");
    assertThat(answer.at("/tokens").asLong()).isEqualTo(512);
    assertThat(answer.at("/workers/0/rank").asInt()).isZero();
    assertThat(answer.at("/workers/0/status").asString()).isEqualTo("DONE");
    assertThat(answer.at("/workers/0/epoch").asLong()).isEqualTo(5);
    assertThat(answer.at("/workers/0/sequence").asLong()).isEqualTo(9);
    assertThat(answer.at("/workers/0/chunks").asLong()).isEqualTo(2);
    RestClient.Answer later = client.get(COMMANDS + answer.at("/id").asString());
    assertThat(later.text()).isEqualTo(answer.text());
    assertThat(client.get("/api/v1/commands").at("/commands/0/id").asString())
        .isEqualTo(answer.at("/id").asString());
  }

  @Test
  void everyCommand_isCarriedToTheWorker() throws Exception {
    String all = "{\"instanceId\":\"A\",\"method\":\"zstd\"}";
    String pin = "{\"instanceId\":\"A\",\"keys\":[\"m@1@0@1@half\"],\"id\":\"%s\"}";
    String id = "pin-" + System.nanoTime();

    assertThat(
            client.post(COMMANDS + "health", "{\"instanceId\":\"A\"}").at("/workers/0/errorCode"))
        .hasToString("0");
    assertThat(client.post(COMMANDS + "pin", pin.formatted(id)).at("/id").asString()).isEqualTo(id);
    assertThat(
            client
                .post(COMMANDS + "unpin", "{\"instanceId\":\"A\",\"owner\":\"" + id + "\"}")
                .status())
        .isEqualTo(200);
    RestClient.Answer compress = client.post(COMMANDS + "compress", all);
    assertThat(compress.at("/tokens").asLong()).isEqualTo(7);
    assertThat(compress.at("/workers/0/chunks").asLong()).isEqualTo(3);
    assertThat(compress.at("/workers/0/bytesBefore").asLong()).isEqualTo(3000);
    assertThat(compress.at("/workers/0/bytesAfter").asLong()).isEqualTo(1000);
    assertThat(compress.at("/workers/0/outcomes")).hasToString("{\"COMPRESSED\":3}");
    assertThat(client.post(COMMANDS + "decompress", all).at("/tokens").asLong()).isEqualTo(8);
    RestClient.Answer move =
        client.post(
            COMMANDS + "move",
            "{\"instanceId\":\"A\",\"targetInstanceId\":\"B\",\"tokens\":[1,2],\"copy\":true}");
    assertThat(move.at("/tokens").asLong()).isEqualTo(256);
    assertThat(move.at("/targetInstanceId").asString()).isEqualTo("B");
    assertThat(client.post(COMMANDS + "pin", pin.formatted(id)).status()).isEqualTo(409);
  }

  @Test
  void commandThatDidNothing_isNoSuccess() throws Exception {
    script.client =
        (ip, to, request, timeout) -> RestFixture.Script.answer(new CommandOutcome.TimedOut());

    RestClient.Answer answer = client.post(COMMANDS + "clear", "{\"instanceId\":\"A\"}");

    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.at("/state").asString()).isEqualTo("FAILED");
    assertThat(answer.at("/workers/0/status").asString()).isEqualTo("TIMED_OUT");
    assertThat(answer.at("/workers/0/error").asString()).contains("may have done it");
  }

  @ParameterizedTest
  @CsvSource({"bad_request,400", "not_found,404", "unsupported,502", "busy,502", ",502"})
  void commandThatEveryWorkerRefuses_isTheAskersFaultWhereTheySaySo(
      @Nullable String code, int status) throws Exception {
    script.client =
        (ip, to, request, timeout) ->
            RestFixture.Script.answer(
                new CommandOutcome.Replied(new ErrorMsg("There is no location 'x'", code)));

    RestClient.Answer answer =
        client.post(COMMANDS + "clear", "{\"instanceId\":\"A\",\"location\":\"x\"}");
    RestClient.Answer lmcache = client.post("/clear", "{\"instance_id\":\"A\",\"location\":\"x\"}");

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.at("/state").asString()).isEqualTo("FAILED");
    assertThat(answer.at("/workers/0/error").asString()).contains("no location 'x'");
    assertThat(lmcache.status()).isEqualTo(status);
    assertThat(lmcache.at("/detail").asString()).contains("no location 'x'");
  }

  @Test
  void longCommand_isAskedForUntilItIsOver() throws Exception {
    CompletableFuture<CommandOutcome> reply = new CompletableFuture<>();
    script.client = (ip, to, request, timeout) -> reply;
    String id = "long-" + System.nanoTime();

    RestClient.Answer begun =
        client.post(
            COMMANDS + "clear?waitMillis=0", "{\"instanceId\":\"A\",\"id\":\"" + id + "\"}");
    assertThat(begun.status()).isEqualTo(202);
    assertThat(begun.at("/state").asString()).isEqualTo("RUNNING");
    assertThat(begun.at("/finishedMillis").isNull()).isTrue();
    assertThat(begun.at("/workers/0/status").isNull()).isTrue();
    String question = "{\"event_id\":\"" + id + "\"}";
    assertThat(client.post("/check_finish", question).at("/status").asString())
        .isEqualTo("running");

    reply.complete(new CommandOutcome.Replied(new ClearWorkerRetMsg(1)));

    assertThat(client.get(COMMANDS + id).at("/state").asString()).isEqualTo("DONE");
    assertThat(client.post("/check_finish", question).at("/status").asString())
        .isEqualTo("finished");
  }

  @Test
  void failedCommand_isFailedWhenAskedFor() throws Exception {
    script.client =
        (ip, to, request, timeout) -> RestFixture.Script.answer(new CommandOutcome.TimedOut());
    String id = client.post(COMMANDS + "health", "{\"instanceId\":\"A\"}").at("/id").asString();

    assertThat(
            client.post("/check_finish", "{\"event_id\":\"" + id + "\"}").at("/status").asString())
        .isEqualTo("failed");
  }

  @Test
  void unknownInstance_isNotKnownYetUntilTheLogIsRead() throws Exception {
    script.ready = false;
    assertThat(client.post(COMMANDS + "clear", "{\"instanceId\":\"Z\"}").status()).isEqualTo(503);
    script.ready = true;
    assertThat(client.post(COMMANDS + "clear", "{\"instanceId\":\"Z\"}").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "clear      | {}                                          | 400 | instanceId",
        "clear      | {\"instanceId\":5}                          | 400 | instanceId",
        "clear      | {\"instanceId\":\"\"}                       | 400 | instanceId",
        "clear      | {\"instanceId\":\"A\",\"location\":\"\"}    | 400 | location",
        "clear      | {\"instanceId\":\"A\",\"location\":[]}      | 400 | location",
        "clear      | {\"instanceId\":\"A\",\"place\":\"x\"}      | 400 | place",
        "clear      | {\"instanceId\":\"A\",\"id\":\"a b\"}       | 400 | id",
        "clear      | {\"instanceId\":\"Z\"}                      | 404 | instance",
        "pin        | {\"instanceId\":\"A\"}                      | 400 | tokens",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[]}        | 400 | tokens",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[1,-1]}    | 400 | tokens[1]",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[1,null]}  | 400 | tokens[1]",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[1.5]}     | 400 | tokens[0]",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[\"1\"]}   | 400 | tokens[0]",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[9223372036854775808]} | 400 | tokens[0]",
        "pin        | {\"instanceId\":\"A\",\"tokens\":5}         | 400 | tokens",
        "pin        | {\"instanceId\":\"A\",\"keys\":[\"no\"]}    | 400 | keys[0]",
        "pin        | {\"instanceId\":\"A\",\"keys\":[]}          | 400 | keys",
        "pin        | {\"instanceId\":\"A\",\"tokens\":[1],\"keys\":[\"m@1@0@1@half\"]} | 400 |"
            + " keys",
        "unpin      | {\"instanceId\":\"A\"}                      | 400 | owner",
        "compress   | {\"instanceId\":\"A\"}                      | 400 | method",
        "decompress | {\"instanceId\":\"A\",\"method\":\"\"}      | 400 | method",
        "move       | {\"instanceId\":\"A\"}                      | 400 | targetInstanceId",
        "move       | {\"instanceId\":\"A\",\"targetInstanceId\":\"Z\"} | 404 | target instance",
        "move       | {\"instanceId\":\"A\",\"targetInstanceId\":\"A\"} | 400 | target instance",
        "move       | {\"instanceId\":\"Z\",\"targetInstanceId\":\"A\"} | 404 | instance",
        "move       | {\"instanceId\":\"A\",\"targetInstanceId\":\"B\",\"copy\":1} | 400 | copy",
        "health?waitMillis=-1    | {\"instanceId\":\"A\"}         | 400 | waitMillis",
        "health?waitMillis=20001 | {\"instanceId\":\"A\"}         | 400 | waitMillis",
        "health?waitMillis=x     | {\"instanceId\":\"A\"}         | 400 | waitMillis",
      })
  void wrongCommands_areNamed(String command, String body, int status, String field)
      throws Exception {
    RestClient.Answer answer = client.post(COMMANDS + command, body);

    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.contentType()).startsWith("application/problem+json");
    assertThat(answer.at("/field").asString()).as(answer.text()).isEqualTo(field);
    assertThat(answer.text()).doesNotContain("Exception", "io.kvmesh");
  }

  @Test
  void unknownCommands_are404() throws Exception {
    assertThat(client.get(COMMANDS + "unknown").status()).isEqualTo(404);
    assertThat(client.post(COMMANDS + "defragment", "{}").status()).isIn(404, 405);
  }

  private static final String KEYS = "{\"instanceId\":\"A\",\"keys\":[\"m@1@0@1@half\"]}";

  private RestClient.Answer delete(String id) throws Exception {
    return client.send("DELETE", COMMANDS + id, null, BodyPublishers.noBody());
  }

  @Test
  void prefetch_tellsItsProgressWhenAskedFor_andEndsByDelete() throws Exception {
    CompletableFuture<CommandOutcome> reply = new CompletableFuture<>();
    script.client =
        (ip, to, request, timeout) ->
            request instanceof PrefetchWorkerMsg
                ? reply
                : RestFixture.Script.done(ip, to, request, timeout);
    RestClient.Answer begun = client.post(COMMANDS + "prefetch?waitMillis=0", KEYS);
    assertThat(begun.status()).isEqualTo(202);
    assertThat(begun.at("/command").asString()).isEqualTo("prefetch");
    assertThat(begun.at("/workers/0/outcomes").isNull()).isTrue();
    String id = begun.at("/id").asString();

    RestClient.Answer asked = client.get(COMMANDS + id);
    assertThat(asked.status()).isEqualTo(200);
    assertThat(asked.at("/state").asString()).isEqualTo("RUNNING");
    assertThat(asked.at("/tokens").asLong()).isEqualTo(256);
    assertThat(asked.at("/workers/0/status").isNull()).isTrue();
    assertThat(asked.at("/workers/0/outcomes/BROUGHT").asInt()).isEqualTo(1);
    assertThat(asked.at("/workers/0/outcomes/UNTRIED").asInt()).isEqualTo(1);

    assertThat(delete(id + "?waitMillis=0").status()).as("has not ended yet").isEqualTo(202);
    reply.complete(
        new CommandOutcome.Replied(RestFixture.Script.prefetched(PrefetchState.CANCELLED, 1)));
    RestClient.Answer cancelled = delete(id);
    assertThat(cancelled.status()).isEqualTo(207);
    assertThat(cancelled.at("/workers/0/status").asString()).isEqualTo("STOPPED");
    assertThat(cancelled.at("/workers/0/error").asString()).isEqualTo("cancelled");
    assertThat(client.get(COMMANDS + id).text()).isEqualTo(cancelled.text());
  }

  @Test
  void prefetch_takesHashesToo_andIsDone() throws Exception {
    RestClient.Answer done =
        client.post(
            COMMANDS + "prefetch",
            "{\"instanceId\":\"A\",\"rank\":0,\"hashes\":[1,\"0x2\"],"
                + "\"keyspace\":\"m@1@0@half\",\"deadlineMillis\":100}");
    assertThat(done.status()).isEqualTo(200);
    assertThat(done.at("/tokens").asLong()).isEqualTo(512);
    assertThat(done.at("/workers/0/sequence").asLong()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "404; {'instanceId':'Z','tokens':[1]}",
        "404; {'instanceId':'A','rank':7,'tokens':[1]}",
        "400; {'instanceId':'A'}",
        "400; {'instanceId':'A','hashes':[1]}",
        "400; {'instanceId':'A','hashes':[1],'tokens':[1],'keyspace':'m@1@0@half'}",
        "400; {'instanceId':'A','hashes':[1],'keyspace':'foreign@0'}",
        "400; {'instanceId':'A','tokens':[1],'keyspace':'m@1@0@half'}",
        "400; {'instanceId':'A','tokens':[1],'deadlineMillis':0}",
        "400; {'instanceId':'A','keys':['m@1@0@1@half','n@1@0@1@half']}"
      })
  void prefetchThatMakesNoSense_isRefused(int status, String body) throws Exception {
    assertThat(client.post(COMMANDS + "prefetch", body.replace('\'', '"')).status())
        .isEqualTo(status);
  }

  @Test
  void drain_tellsPerWorkerWhatWentAndWhatIsLeft_andEndsByDelete() throws Exception {
    CompletableFuture<CommandOutcome> reply = new CompletableFuture<>();
    script.client =
        (ip, to, request, timeout) ->
            request instanceof DrainWorkerMsg
                ? reply
                : RestFixture.Script.done(ip, to, request, timeout);
    String id =
        client
            .post(COMMANDS + "drain?waitMillis=0", "{\"instanceId\":\"A\",\"rank\":0}")
            .at("/id")
            .asString();

    RestClient.Answer asked = client.get(COMMANDS + id);
    assertThat(asked.at("/command").asString()).isEqualTo("drain");
    assertThat(asked.at("/state").asString()).isEqualTo("RUNNING");
    assertThat(asked.at("/workers/0/outcomes/COPIED").asInt()).isEqualTo(1);
    assertThat(asked.at("/workers/0/bytes").asLong()).isEqualTo(4096);
    assertThat(delete(id + "?waitMillis=0").status()).isEqualTo(202);
    reply.complete(
        new CommandOutcome.Replied(RestFixture.Script.drained(1, "the target has no room")));

    RestClient.Answer end = client.get(COMMANDS + id);
    assertThat(end.at("/state").asString()).isEqualTo("PARTIAL");
    assertThat(end.at("/workers/0/error").asString()).isEqualTo("the target has no room");
    assertThat(end.at("/workers/0/chunks").asInt()).isEqualTo(2);
    assertThat(end.at("/workers/0/targets/0").asString()).isEqualTo("10.0.0.9:8200");
    assertThat(end.at("/workers/0/left/0").asString()).isEqualTo("m@1@0@1@half");
    assertThat(end.at("/workers/0/leftWhy/0").asString()).isEqualTo("NO_SPACE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "200; {'instanceId':'A'}",
        "200; {'instanceId':'A','rank':0,'deadlineMillis':1,'maxBytes':1}",
        "404; {'instanceId':'Z'}",
        "404; {'instanceId':'A','rank':7}",
        "404; {'instanceId':'A','targetInstanceId':'Z'}",
        "400; {'instanceId':'A','targetInstanceId':'A'}",
        "400; {'instanceId':'A','targetInstanceId':''}",
        "400; {'instanceId':'A','deadlineMillis':0}",
        "400; {'instanceId':'A','maxBytes':-1}",
        "400; {'instanceId':'A','tokens':[1]}"
      })
  void drainThatMakesNoSense_isRefused(int status, String body) throws Exception {
    assertThat(client.post(COMMANDS + "drain", body.replace('\'', '"')).status()).isEqualTo(status);
  }

  @Test
  void undrain_tellsHowFarTheDrainCameThatItEnded() throws Exception {
    RestClient.Answer end = client.post(COMMANDS + "undrain", "{\"instanceId\":\"A\",\"rank\":0}");

    assertThat(end.status()).isEqualTo(200);
    assertThat(end.at("/command").asString()).isEqualTo("undrain");
    assertThat(end.at("/workers/0/status").asString()).isEqualTo("DONE");
    assertThat(end.at("/workers/0/outcomes/COPIED").asInt()).isEqualTo(1);
    assertThat(client.post(COMMANDS + "undrain", "{\"instanceId\":\"Z\"}").status()).isEqualTo(404);
    assertThat(client.post(COMMANDS + "undrain", "{\"instanceId\":\"A\",\"rank\":7}").status())
        .isEqualTo(404);
    assertThat(client.post(COMMANDS + "undrain", "{\"instanceId\":\"A\",\"id\":\"?\"}").status())
        .isEqualTo(400);
  }

  @Test
  void reach_tellsPerWorkerWhatBecameOfEachPeer() throws Exception {
    RestClient.Answer asked = client.post(COMMANDS + "reach", "{\"instanceId\":\"A\",\"rank\":0}");

    assertThat(asked.status()).isEqualTo(200);
    assertThat(asked.at("/command").asString()).isEqualTo("reach");
    assertThat(asked.at("/workers/0/peers/0/outcome").asString()).isEqualTo("REFUSED");
    assertThat(asked.at("/workers/0/peers/0/reason").asString()).isEqualTo("closed");
    assertThat(asked.at("/workers/0/peers/0/peerInitUrl").asString()).isNotEmpty();
    assertThat(client.post(COMMANDS + "reach", "{\"instanceId\":\"Z\"}").status()).isEqualTo(404);
  }

  @Test
  void onlyWhatLasts_canBeCancelled() throws Exception {
    script.client = (ip, to, request, timeout) -> new CompletableFuture<>();
    String id =
        client.post(COMMANDS + "clear?waitMillis=0", "{\"instanceId\":\"A\"}").at("/id").asString();
    assertThat(delete(id).status()).isEqualTo(409);
    assertThat(delete("unknown").status()).isEqualTo(404);
  }
}

package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.bytes;
import static io.kvmesh.agent.engine.resp.RespClientEnd.request;
import static io.kvmesh.agent.engine.resp.RespFixture.KEY;
import static io.kvmesh.agent.engine.resp.RespFixture.body;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Redis protocol, as one client after the other sees it. */
@Timeout(60)
class RespDoorTest {

  @Test
  void setThenGet_theBodyComesBack() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      assertThat(client.ask("EXISTS", KEY)).isEqualTo(":0");
      assertThat(client.get(KEY)).isNull();
      assertThat(client.ask("SET", KEY, body(PAGE, 7))).isEqualTo("+OK");
      assertThat(client.get(KEY)).isEqualTo(body(PAGE, 7));
      assertThat(client.ask("EXISTS", KEY, KEY, "other")).isEqualTo(":2");
      assertThat(client.ask("STRLEN", KEY)).isEqualTo(":" + PAGE);
      assertThat(client.ask("STRLEN", "other")).isEqualTo(":0");
      assertThat(client.ask("DBSIZE")).isEqualTo(":1");
      assertThat(at.agent.cache.exists(ChunkKey.parse(KEY))).isTrue();
      assertThat(client.ask("DEL", KEY, KEY, "other")).isEqualTo(":1");
      assertThat(client.get(KEY)).isNull();
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void setOfAResidentKey_replacesItsBody_whoReadsItKeepsTheOld() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KEY, body(PAGE, 1));
      try (ChunkLease reader = at.agent.cache.leasePrefix(List.of(ChunkKey.parse(KEY)))) {
        assertThat(client.ask("SET", KEY, body(PAGE, 2))).isEqualTo("+OK");
        assertThat(client.get(KEY)).isEqualTo(body(PAGE, 2));
        assertThat(reader.body(0).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(body(PAGE, 1));
        assertThat(client.ask("DEL", KEY)).isEqualTo(":1");
        assertThat(client.get(KEY)).isNull();
        assertThat(reader.body(0).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(body(PAGE, 1));
      }
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void mget_answersEach() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", "a", "1");
      client.ask("SET", "b", "22");
      assertThat(client.ask("MGET", "a", "none", "b", "a"))
          .isEqualTo(Arrays.asList("1", null, "22", "1"));
      assertThat(at.settled()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model with spaces@1@0@1f@half",
        "mödel-日本@1@0@-1f@half",
        "mo@del@1@0@1f@half",
        "m@1@0@1f@half@3",
        "vllm@m@1@0@1f@half",
        "@@@@",
        "",
        "two\r\nlines",
        "foreign@0@1f",
        "m@1@0@000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f@half"
      })
  void anyKey_isAKey(String key) throws Exception {
    for (String text : List.of(key, "k".repeat(160) + key, "k".repeat(7000) + key)) {
      try (DoorFixture at = RespFixture.open();
          RespClientEnd client = new RespClientEnd(at.connect())) {
        assertThat(client.ask("SET", text, body(PAGE, 5))).isEqualTo("+OK");
        assertThat(client.get(text)).isEqualTo(body(PAGE, 5));
        assertThat(client.get(text + "x")).isNull();
        assertThat(client.ask("EXISTS", text)).isEqualTo(":1");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          PING                 | +PONG
          ping "a b"           | a b
          ECHO 'it\\'s'        | it's
          ECHO "\\x41\\tz"     | A\tz
          SELECT 0             | +OK
          SELECT 1             | -ERR DB index is out of range
          SELECT x             | -ERR value is not an integer or out of range
          CLIENT SETINFO LIB-NAME redis-py | +OK
          CLIENT SETNAME me    | +OK
          CLIENT GETNAME       |
          CLIENT KILL 1        | -ERR unknown subcommand or wrong number of arguments for 'KILL'
          COMMAND COUNT        | :16
          HELLO 3              | -NOPROTO unsupported protocol version
          AUTH x               | -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
          AUTH default x       | +OK
          NOSUCH a b           | -ERR unknown command 'NOSUCH'
          GET                  | -ERR wrong number of arguments for 'get' command
          GET a b              | -ERR wrong number of arguments for 'get' command
          SET a                | -ERR wrong number of arguments for 'set' command
          SET a b NX           | -ERR syntax error: SET takes EX, PX, EXAT, PXAT and KEEPTTL
          SET a b EX 0         | -ERR invalid expire time in 'set' command
          SET a b EX           | -ERR invalid expire time in 'set' command
          SET a b EX 10        | +OK
          SET a ""             | -ERR no chunk has 0 bytes
          SET kmetadata x      | -ERR a value of 1 bytes is no metadata, which has 8 and 20 for each group of values
          QUIT                 | +OK
          """)
  void eachCommand_isAnswered_inlineAndAsBulks(String line, String answer) throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      assertThat(client.line(line)).isEqualTo(answer);
      if (line.equals("QUIT")) {
        assertThat(client.isEnded()).isTrue();
      } else {
        assertThat(client.ask("PING")).as("the connection lives").isEqualTo("+PONG");
      }
      assertThat(at.settled()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void hello_infoAndCommand_tellWhatTheyShould() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", "a", "1");
      assertThat(String.valueOf(client.ask("HELLO", "2", "SETNAME", "me")))
          .startsWith("[server, redis, version, 7.0.0, proto, :2, id, :1, mode, standalone");
      assertThat(client.ask("CLIENT", "GETNAME")).isEqualTo("me");
      assertThat(client.ask("CLIENT", "ID")).isEqualTo(":1");
      assertThat(String.valueOf(client.ask("INFO")))
          .contains("redis_version:7.0.0", "db0:keys=1,expires=0,avg_ttl=0");
      assertThat(String.valueOf(client.ask("INFO", "keyspace"))).startsWith("# Keyspace");
      assertThat(String.valueOf(client.ask("COMMAND")))
          .startsWith("[[get, :2, [+readonly, +fast], :1");
      assertThat(client.ask("COMMAND", "DOCS")).isEqualTo(List.of());
      assertThat(client.ask("COMMAND", "INFO", "mget", "nosuch"))
          .hasToString("[[mget, :-2, [+readonly, +fast], :1, :-1, :1], null]");
    }
  }

  @Test
  void aThousandPipelined_areAnsweredInOrder() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      Thread sender =
          Thread.startVirtualThread(
              () -> {
                try {
                  for (int i = 0; i < 500; i++) {
                    client.send(request("SET", "k" + i % 4, "v" + i));
                    client.send(i % 2 == 0 ? request("GET", "k" + i % 4) : inline("GET k" + i % 4));
                  }
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      for (int i = 0; i < 500; i++) {
        assertThat(client.reply()).isEqualTo("+OK");
        assertThat(client.reply()).isEqualTo("v" + i);
      }
      sender.join();
      assertThat(at.settled()).isEqualTo(4);
    }
  }

  private static byte[] inline(String line) {
    return bytes(line + "\n");
  }

  @Test
  void whatIsRefused_isReadToItsEnd_andTheConnectionLives() throws Exception {
    try (DoorFixture at = RespFixture.open(1, "");
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KEY, body(PAGE, 1));
      assertThat(client.ask("SET", KEY, body(2 * PAGE, 1)))
          .isEqualTo("-ERR 8192 bytes are more than a chunk may have");
      assertThat(client.get(KEY)).as("replaced by what couldn't be kept").isNull();
      client.ask("SET", KEY, body(PAGE, 1));
      try (ChunkLease reader = at.agent.cache.leasePrefix(List.of(ChunkKey.parse(KEY)))) {
        assertThat(reader.size()).isEqualTo(1);
        assertThat(client.ask("SET", "other", body(PAGE, 1)))
            .isEqualTo("-OOM no room for 4096 bytes: nothing may go");
      }
      assertThat(String.valueOf(client.ask("GET", "k".repeat(8001))))
          .startsWith("-ERR an argument of");
      assertThat(String.valueOf(client.ask("GET", new byte[] {(byte) 0xff})))
          .endsWith("isn't UTF-8");
      assertThat(client.ask("PING")).isEqualTo("+PONG");
      assertThat(at.counters.get(DoorCount.PUT_TOO_LARGE)).isEqualTo(1);
      assertThat(at.counters.get(DoorCount.PUT_NO_SPACE)).isEqualTo(1);
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void whoDoesNotSayWhoTheyAre_getsNothing() throws Exception {
    try (DoorFixture at = RespFixture.open(8, "secret")) {
      try (RespClientEnd client = new RespClientEnd(at.connect())) {
        assertThat(client.ask("GET", KEY)).isEqualTo("-NOAUTH Authentication required.");
        assertThat(client.ask("SET", KEY, "1")).isEqualTo("-NOAUTH Authentication required.");
        assertThat(client.ask("HELLO", "2")).isEqualTo("-NOAUTH Authentication required.");
        assertThat(String.valueOf(client.ask("AUTH", "wrong"))).startsWith("-WRONGPASS");
        assertThat(String.valueOf(client.ask("AUTH", "other", "secret"))).startsWith("-WRONGPASS");
        assertThat(client.ask("PING")).isEqualTo("-NOAUTH Authentication required.");
        assertThat(client.ask("AUTH", "secret")).isEqualTo("+OK");
        assertThat(client.ask("SET", KEY, "1")).isEqualTo("+OK");
        assertThat(String.valueOf(client.ask("AUTH", "default", "wrong"))).startsWith("-WRONGPASS");
        assertThat(client.get(KEY)).isEqualTo(bytes("1"));
      }
      try (RespClientEnd client = new RespClientEnd(at.connect())) {
        assertThat(String.valueOf(client.ask("HELLO", "2", "AUTH", "default", "secret")))
            .startsWith("[server");
        assertThat(client.get(KEY)).isEqualTo(bytes("1"));
      }
      try (RespClientEnd client = new RespClientEnd(at.connect())) {
        client.send(bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\n"));
        assertThat(client.reply()).isEqualTo("-ERR Protocol error: invalid bulk length");
        assertThat(client.isEnded()).isTrue();
      }
      assertThat(at.counters.get(DoorCount.AUTH)).isEqualTo(2);
      assertThat(at.counters.get(DoorCount.AUTH_REFUSED)).isEqualTo(8);
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void whatAPeerHas_isPulledBeforeTheAnswer() throws Exception {
    List<ChunkKey> keys = TestAgent.keys(3, 3);
    try (TestAgent peer = TestAgent.named("peer").start();
        DoorFixture at =
            new DoorFixture(
                8,
                ExistsScope.FLEET,
                DoorFixture.at(peer),
                (desk, clock) -> new RespProtocol(desk, RespFixture.settings(""), clock));
        RespClientEnd client = new RespClientEnd(at.connect())) {
      peer.store(keys);
      assertThat(client.ask("EXISTS", keys.get(0))).isEqualTo(":1");
      assertThat(client.get(keys.get(0).toString())).isEqualTo(right(keys.get(0)));
      client.send(request("MGET", keys.get(1), keys.get(0), keys.get(2)));
      client.send(request("PING"));
      assertThat(client.reply())
          .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
          .doesNotContainNull();
      assertThat(client.reply()).isEqualTo("+PONG");
      assertThat(client.ask("GET", keys.get(0) + "metadata")).as("nobody knows").isNull();
      assertThat(client.ask("EXISTS", keys.get(0) + "metadata")).isEqualTo(":0");
      assertThat(client.get("m@1@0@eeee@bfloat16")).as("promised in vain").isNull();
      assertThat(at.counters.get(DoorCount.GET_PEER)).isEqualTo(3);
      assertThat(at.settled()).isEqualTo(3);
    }
  }

  private static byte[] right(ChunkKey key) {
    byte[] right = new byte[PAGE];
    TestAgent.fill(MemorySegment.ofArray(right), key);
    return right;
  }
}

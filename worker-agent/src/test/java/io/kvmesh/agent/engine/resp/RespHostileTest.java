package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.bytes;
import static io.kvmesh.agent.engine.resp.RespClientEnd.metadata;
import static io.kvmesh.agent.engine.resp.RespClientEnd.request;
import static io.kvmesh.agent.engine.resp.RespFixture.KEY;
import static io.kvmesh.agent.engine.resp.RespFixture.body;
import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients send that err or mean harm, or go away: nothing of it stays. */
@Timeout(120)
class RespHostileTest {

  private static final String PAIR = KEY + "kv_bytes";

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(all::writeBytes);
    return all.toByteArray();
  }

  @Test
  void aByteAtATime_isWhatItIsAtOnce() throws Exception {
    byte[] all =
        joined(
            request("SET", PAIR, body(640, 3)),
            request("SET", KEY + "metadata", metadata(640)),
            bytes("\r\n\nget " + PAIR + "\r\n"),
            request("MGET", KEY, "none"),
            bytes("*0\r\n*-1\r\n"),
            request("NOSUCH", "a", "b"),
            request("PING"));
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      for (byte each : all) {
        client.send(new byte[] {each});
      }
      assertThat(client.reply()).isEqualTo("+OK");
      assertThat(client.reply()).isEqualTo("+OK");
      assertThat(client.value()).isEqualTo(body(640, 3));
      assertThat(client.reply())
          .isEqualTo(
              Arrays.asList(
                  new String(body(640, 3), java.nio.charset.StandardCharsets.UTF_8), null));
      assertThat(client.reply()).isEqualTo("-ERR unknown command 'NOSUCH'");
      assertThat(client.reply()).isEqualTo("+PONG");
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*\r\n",
        "*x\r\n",
        "*201\r\n",
        "*1000000000\r\n",
        "*2147483648\r\n",
        "*4294967297\r\n",
        "*99999999999999999999\r\n",
        "*0x10\r\n",
        "*+1\r\n",
        "* 1\r\n",
        "*1 \r\n",
        "*1\r\n:4\r\nPING\r\n",
        "*1\r\n\r\n",
        "*1\r\n*1\r\n",
        "*1\r\n$\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$-2147483648\r\n",
        "*1\r\n$2147483648\r\n",
        "*1\r\n$18446744073709551620\r\n",
        "*1\r\n$+4\r\nPING\r\n",
        "*1\r\n$3\r\nPING\r\n",
        "*1\r\n$5\r\nPING\r\n*1\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$262145\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$-1\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nabc\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\nabc\r\n\r\n",
        "*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\nabc\r\n$-9\r\n",
        "*00000000000000000000000000000000001\r\n",
        "SET k \"abc\r\n",
        "SET k 'a'b\r\n"
      })
  void aLieAboutALength_endsTheConnectionWithAnError(String lie) throws Exception {
    try (DoorFixture at = RespFixture.open(2, "");
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.send(joined(request("PING"), bytes(lie)));
      assertThat(client.reply()).isEqualTo("+PONG");
      assertThat(String.valueOf(client.reply())).startsWith("-ERR Protocol error: ");
      assertThat(client.isEnded()).isTrue();
      at.awaitCount(DoorCount.BAD_REQUEST, 1);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void aLineWithoutEnd_endsTheConnection() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.send(bytes("x".repeat(8192)));
      assertThat(String.valueOf(client.reply())).startsWith("-ERR Protocol error: a line of more");
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void theLongestValue_isReadAndRefused_andArgumentsWithoutEndAreForgotten() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      assertThat(String.valueOf(client.ask("SET", "k", body(MAX_BODY, 1))))
          .startsWith("-ERR 262144 bytes are more");
      Object[] keys = new Object[RespFixture.MAX_ARGUMENTS];
      Arrays.fill(keys, "k".repeat(8000));
      keys[0] = "MGET";
      assertThat(String.valueOf(client.ask(keys))).startsWith("-ERR an argument of 8000 bytes");
      assertThat(client.ask("PING")).isEqualTo("+PONG");
      assertThat(at.settled()).isZero();
    }
  }

  /** Each of them breaks off after each of its bytes. */
  @Test
  void whoGoesAwayAnywhere_leavesNothingBehind() throws Exception {
    byte[][] requests = {
      request("SET", KEY, body(20, 1)),
      request("SET", PAIR, body(20, 1), "EX", "10"),
      request("SET", KEY + "metadata", metadata(64)),
      request("MGET", "a", "b"),
      bytes("SET k \"a b\"\r\n")
    };
    try (DoorFixture at = RespFixture.open(2, "")) {
      int tries = 0;
      for (byte[] request : requests) {
        for (int length = 1; length < request.length; length++) {
          try (RespClientEnd client = new RespClientEnd(at.connect())) {
            client.send(Arrays.copyOf(request, length));
            client.socket.shutdownOutput();
            assertThat(client.isEnded()).as("%d bytes", length).isTrue();
          }
          tries++;
        }
      }
      at.awaitCount(DoorCount.CONNECTION_CUT, tries);
      assertThat(at.settled()).isZero();
      requireWholeCapacity(at, 2);
    }
  }

  @Test
  void aThousandAbortedSets_leaveTheWholeCapacity() throws Exception {
    try (DoorFixture at = RespFixture.open(4, "")) {
      byte[] half = Arrays.copyOf(request("SET", PAIR, body(PAGE, 1)), PAGE / 2);
      for (int i = 0; i < 1000; i++) {
        try (RespClientEnd client = new RespClientEnd(at.connect())) {
          client.send(half);
          if (i % 2 == 0) {
            client.socket.setSoLinger(true, 0);
          }
        }
        if (i % 20 == 19) {
          at.settled();
        }
      }
      assertThat(at.settled()).isZero();
      requireWholeCapacity(at, 4);
    }
  }

  private static void requireWholeCapacity(DoorFixture at, int pages) throws IOException {
    try (RespClientEnd client = new RespClientEnd(at.connect())) {
      for (int i = 0; i < pages; i++) {
        assertThat(client.ask("SET", "whole" + i, body(PAGE, i))).isEqualTo("+OK");
      }
      for (int i = 0; i < pages; i++) {
        assertThat(client.get("whole" + i)).isEqualTo(body(PAGE, i));
      }
      assertThat(at.settled()).isEqualTo(pages);
    }
  }

  @Test
  void whoAsksForMuchAndReadsNothing_isCutOff_andHoldsNothing() throws Exception {
    try (DoorFixture at = RespFixture.open(1, "");
        RespClientEnd client = new RespClientEnd(at.connect());
        RespClientEnd other = new RespClientEnd(at.connect())) {
      other.ask("SET", "k", body(PAGE, 1));
      byte[] request = request("GET", "k");
      byte[] many = new byte[10_000 * request.length];
      for (int i = 0; i < many.length; i++) {
        many[i] = request[i % request.length];
      }
      Thread sender = Thread.startVirtualThread(() -> sendQuietly(client, many));
      at.awaitBegun(DoorCount.GET_LOCAL);
      at.awaitStalled(1);
      sender.join();
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void tenThousandRequestsAtOnce_areAnsweredInOrder() throws Exception {
    try (DoorFixture at = RespFixture.open(1, "");
        RespClientEnd client = new RespClientEnd(at.connect())) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < 10_000; i++) {
        all.writeBytes(i % 2 == 0 ? request("ECHO", Integer.toString(i)) : request("GET", "none"));
      }
      Thread sender = Thread.startVirtualThread(() -> sendQuietly(client, all.toByteArray()));
      for (int i = 0; i < 10_000; i++) {
        assertThat(client.reply()).isEqualTo(i % 2 == 0 ? Integer.toString(i) : null);
      }
      sender.join();
      assertThat(at.settled()).isZero();
    }
  }

  private static void sendQuietly(RespClientEnd client, byte[] bytes) {
    try {
      client.send(bytes);
    } catch (IOException e) {
      assertThat(e).hasMessageNotContaining("timed out");
    }
  }

  @Test
  void whoStopsInTheMiddleOfAValue_isCutOff() throws Exception {
    try (DoorFixture at = RespFixture.open(1, "");
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.send(Arrays.copyOf(request("SET", "k", body(PAGE, 1)), 100));
      at.awaitClaimed();
      at.awaitStalled(1);
      assertThat(client.isEnded()).isTrue();
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void whoAsksForNothing_isCutOffAfterAWhile() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      assertThat(client.ask("PING")).isEqualTo("+PONG");
      org.awaitility.Awaitility.await()
          .until(
              () -> {
                at.skip(DoorFixture.IDLE.plusSeconds(1));
                return at.counters.get(DoorCount.CONNECTION_IDLE) == 1;
              });
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void moreClientsThanMayBe_areSentAway() throws Exception {
    RespClientEnd[] clients = new RespClientEnd[DoorFixture.MAX_CONNECTIONS];
    try (DoorFixture at = RespFixture.open()) {
      for (int i = 0; i < clients.length; i++) {
        clients[i] = new RespClientEnd(at.connect());
        assertThat(clients[i].ask("PING")).isEqualTo("+PONG");
      }
      try (RespClientEnd more = new RespClientEnd(at.connect())) {
        assertThat(more.isEnded()).isTrue();
      }
      assertThat(at.counters.get(DoorCount.CONNECTION_REFUSED)).isEqualTo(1);
      for (RespClientEnd client : clients) {
        client.close();
      }
    }
  }

  @Test
  void closing_letsARequestUnderWayEnd_andTakesNoFurtherOne() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect());
        RespClientEnd idle = new RespClientEnd(at.connect())) {
      assertThat(idle.ask("PING")).isEqualTo("+PONG");
      byte[] request = request("SET", "k", body(PAGE, 1));
      client.send(Arrays.copyOf(request, 100));
      at.awaitClaimed();
      Thread closing = Thread.startVirtualThread(() -> at.door().close());
      assertThat(idle.isEnded()).isTrue();
      client.send(Arrays.copyOfRange(request, 100, request.length));
      assertThat(client.reply()).isEqualTo("+OK");
      closing.join();
      assertThat(client.isEnded()).isTrue();
      assertThat(at.settled()).isEqualTo(1);
    }
  }
}

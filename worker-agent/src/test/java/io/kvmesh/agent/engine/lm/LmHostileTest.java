package io.kvmesh.agent.engine.lm;

import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.NOBODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients send that err or mean harm, or go away: nothing of it stays. */
@Timeout(120)
class LmHostileTest {

  private static final String KEY = "m@1@0@1f@bfloat16";
  private static final int LENGTH_AT = 4;

  private static DoorFixture open(int pages) throws IOException {
    return new DoorFixture(
        pages, ExistsScope.LOCAL, NOBODY, desk -> new LmProtocol(desk, MAX_BODY));
  }

  private static byte[] body(int bytes, int value) {
    byte[] body = new byte[bytes];
    Arrays.fill(body, (byte) value);
    return body;
  }

  private static byte[] put(int announced) {
    return LmClient.header(LmCommand.PUT, KEY, announced, LmClient.form(PAGE));
  }

  @Test
  void aByteAtATime_isWhatItIsAtOnce() throws Exception {
    try (DoorFixture at = open(2);
        LmClient client = new LmClient(at.connect())) {
      for (byte[] part : List.of(put(PAGE), body(PAGE, 1), LmClient.header(LmCommand.GET, KEY))) {
        for (byte each : part) {
          client.send(new byte[] {each});
        }
      }
      assertThat(client.reply()).isEqualTo(new LmClient.Reply(200, PAGE, LmClient.form(PAGE)));
      assertThat(client.body(PAGE)).isEqualTo(body(PAGE, 1));
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "6", "-1", "2147483647", "-2147483648", "16777216"})
  void aCommandThatIsNone_endsTheConnection(int command) throws Exception {
    requireEnd(0, command);
  }

  @ParameterizedTest
  @CsvSource({"-1", "-2147483648", "2147483647", "262145"})
  void aLengthThatIsALie_endsTheConnection(int length) throws Exception {
    requireEnd(LENGTH_AT, length);
  }

  private static void requireEnd(int offset, int value) throws Exception {
    byte[] header = put(PAGE);
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
    try (DoorFixture at = open(2);
        LmClient client = new LmClient(at.connect())) {
      client.send(header);
      assertThat(client.isEnded()).isTrue();
      at.awaitCount(DoorCount.BAD_REQUEST, 1);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void lengthsThatDoNotFitTheShape_areReadAndForgotten() throws Exception {
    try (DoorFixture at = open(2);
        LmClient client = new LmClient(at.connect())) {
      int[] lengths = {0, 1, PAGE - 1, PAGE + 1, MAX_BODY};
      for (int length : lengths) {
        client.send(put(length));
        client.send(body(length, 1));
        assertThat(client.isHealthy()).as("after %d bytes", length).isTrue();
      }
      BodyForm huge =
          new BodyForm(
              1, 1, List.of(new BodyForm.Group(5, List.of(1 << 30, 1 << 30, 1 << 30, 1 << 30))));
      client.send(LmClient.header(LmCommand.PUT, KEY, PAGE, huge));
      client.send(body(PAGE, 1));
      assertThat(client.exists(KEY)).isFalse();
      assertThat(at.counters.get(DoorCount.PUT_WRONG_SIZE)).isEqualTo(lengths.length + 1);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void aKeyThatIsNoText_endsTheConnection() throws Exception {
    byte[] header = LmClient.header(LmCommand.GET, KEY);
    header[40] = (byte) 0xff;
    try (DoorFixture at = open(2);
        LmClient client = new LmClient(at.connect())) {
      client.send(header);
      assertThat(client.isEnded()).isTrue();
    }
  }

  /** After each byte of the header, and after some of the body. */
  @Test
  void whoGoesAwayAnywhere_leavesNothingBehind() throws Exception {
    byte[] all = Arrays.copyOf(put(PAGE), LmRequest.BYTES + PAGE);
    try (DoorFixture at = open(2)) {
      int tries = 0;
      for (int length = 1; length < all.length; length += length > LmRequest.BYTES ? 500 : 1) {
        try (LmClient client = new LmClient(at.connect())) {
          client.send(Arrays.copyOf(all, length));
          client.socket.shutdownOutput();
          assertThat(client.isEnded()).as("%d bytes", length).isTrue();
        }
        tries++;
      }
      at.awaitCount(DoorCount.CONNECTION_CUT, tries);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void aThousandAbortedPuts_leaveTheWholeCapacity() throws Exception {
    try (DoorFixture at = open(4)) {
      byte[] half = Arrays.copyOf(put(PAGE), LmRequest.BYTES + PAGE / 2);
      for (int i = 0; i < 1000; i++) {
        try (LmClient client = new LmClient(at.connect())) {
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
      try (LmClient client = new LmClient(at.connect())) {
        for (int i = 0; i < 4; i++) {
          client.put("m@1@0@%d@half".formatted(i + 1), body(PAGE, i));
        }
        for (int i = 0; i < 4; i++) {
          assertThat(client.get("m@1@0@%d@half".formatted(i + 1))).isEqualTo(body(PAGE, i));
        }
      }
      assertThat(at.settled()).isEqualTo(4);
    }
  }

  @Test
  void whoAsksForMuchAndReadsNothing_isCutOff_andHoldsNothing() throws Exception {
    try (DoorFixture at = open(1);
        LmClient client = new LmClient(at.connect());
        LmClient other = new LmClient(at.connect())) {
      other.put(KEY, body(PAGE, 1));
      assertThat(other.isHealthy()).isTrue();
      byte[] request = LmClient.header(LmCommand.GET, KEY);
      Thread sender =
          Thread.startVirtualThread(
              () -> {
                try {
                  for (int i = 0; i < 10_000; i++) {
                    client.send(request);
                  }
                } catch (IOException e) {
                  assertThat(e).hasMessageNotContaining("timed out");
                }
              });
      at.awaitBegun(DoorCount.GET_LOCAL);
      at.awaitStalled(1);
      sender.join();
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void whoStopsInTheMiddleOfABody_isCutOff() throws Exception {
    try (DoorFixture at = open(1);
        LmClient client = new LmClient(at.connect())) {
      client.send(Arrays.copyOf(put(PAGE), LmRequest.BYTES + 10));
      at.awaitClaimed();
      at.awaitStalled(1);
      assertThat(client.isEnded()).isTrue();
      assertThat(at.settled()).isZero();
    }
  }

  /** It never pauses for long, and would hold its page for a day. */
  @Test
  void whoSendsAByteNowAndThen_isCutOff() throws Exception {
    try (DoorFixture at = open(1);
        LmClient client = new LmClient(at.connect())) {
      client.send(put(PAGE));
      at.awaitClaimed();
      int sent = 0;
      while (sent < PAGE - 1 && at.counters.get(DoorCount.CONNECTION_STALLED) == 0) {
        sendQuietly(client, new byte[1]);
        sent++;
        at.skip(Duration.ofSeconds(1));
      }
      at.awaitCount(DoorCount.CONNECTION_STALLED, 1);
      assertThat(client.isEnded()).isTrue();
      assertThat(at.settled()).isZero();
    }
  }

  private static void sendQuietly(LmClient client, byte[] bytes) {
    try {
      client.send(bytes);
    } catch (IOException e) {
      assertThat(e).hasMessageNotContaining("timed out");
    }
  }

  @Test
  void whoPausesOnce_isServed() throws Exception {
    try (DoorFixture at = open(1);
        LmClient client = new LmClient(at.connect())) {
      client.send(put(PAGE));
      at.awaitClaimed();
      at.skip(DoorFixture.STALL.minusSeconds(5));
      client.send(body(PAGE, 1));
      assertThat(client.get(KEY)).isEqualTo(body(PAGE, 1));
      assertThat(at.counters.get(DoorCount.CONNECTION_STALLED)).isZero();
    }
  }

  /** Whoever has asked for something stays. */
  @Test
  void aCrowdThatAsksForNothing_givesWayToWhoeverComes() throws Exception {
    List<Socket> crowd = new ArrayList<>();
    try (DoorFixture at = open(1);
        LmClient first = new LmClient(at.connect())) {
      assertThat(first.isHealthy()).isTrue();
      for (int i = 0; i < 3 * DoorFixture.MAX_CONNECTIONS; i++) {
        crowd.add(at.connect());
      }
      try (LmClient late = new LmClient(at.connect())) {
        assertThat(late.isHealthy()).isTrue();
        assertThat(first.isHealthy()).isTrue();
        assertThat(at.door().connections()).isLessThanOrEqualTo(DoorFixture.MAX_CONNECTIONS);
      }
      for (Socket each : crowd) {
        each.close();
      }
    }
  }
}

package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.Tick;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RecordDecoderTest {

  private final MessageCodec codec = new MessageCodec();
  private final TestView view = new TestView();
  private final RecordDecoder decoder =
      new RecordDecoder("The test", view.counters, System::nanoTime);

  @Test
  void anEvent_hasThePlaceOfItsRecord() {
    LogRecord record = decoder.decode(record(7, codec.encode(new Tick())));

    assertThat(record).isEqualTo(new LogRecord(3, 7, -1, new Tick()));
    assertThat(view.counters.counts().records()).isEqualTo(1);
  }

  @Test
  void garbage_isCountedAndPassedOver() {
    assertThat(decoder.decode(record(1, new byte[] {1, 2, 3}))).isNull();
    assertThat(decoder.decode(record(2, new byte[0]))).isNull();
    assertThat(decoder.decode(record(3, null))).isNull();
    byte[] valid = codec.encode(new Tick());
    byte[] trailing = Arrays.copyOf(valid, valid.length + 1);
    assertThat(decoder.decode(record(4, trailing))).isNull();

    assertThat(view.counters.counts().garbage()).isEqualTo(4);
    assertThat(decoder.decode(record(5, valid))).isNotNull();
  }

  @Test
  void aLaterFormat_isCountedApart() {
    byte[] later = codec.encode(new Tick(2, "", 0, 0));

    assertThat(decoder.decode(record(1, later))).isNull();

    assertThat(view.counters.counts().unsupported()).isEqualTo(1);
    assertThat(decoder.rejected().latest().getFirst().reason())
        .startsWith("Expected format 1 or earlier, got 2")
        .contains("upgrade this reader");
    assertThat(view.counters.counts().garbage()).isZero();
  }

  @Test
  void whatIsPassedOver_isKeptAsideWithItsReason() {
    TestAgent agent = new TestAgent("a");
    byte[] up = codec.encode(agent.up());
    assertThat(decoder.decode(record(1, agent.id().toString(), up))).isNotNull();
    assertThat(decoder.decode(record(2, null, up))).isNotNull();
    assertThat(decoder.decode(record(3, "b/0", up))).isNull();
    assertThat(decoder.decode(record(4, "a/0", new byte[] {-63, 2}))).isNull();
    assertThat(decoder.decode(record(5, null))).isNull();
    assertThat(decoder.decode(record(6, codec.encode(new Tick(2, "", 0, 0))))).isNull();
    assertThat(decoder.decode(record(7, new byte[(16 << 20) + 1]))).isNull();

    assertThat(decoder.rejected().latest())
        .extracting(RejectedRecord::offset, RejectedRecord::kind)
        .containsExactly(
            tuple(7L, RejectedRecord.Kind.OVERSIZE),
            tuple(6L, RejectedRecord.Kind.UNSUPPORTED_FORMAT),
            tuple(5L, RejectedRecord.Kind.EMPTY),
            tuple(4L, RejectedRecord.Kind.UNDECODABLE),
            tuple(3L, RejectedRecord.Kind.WRONG_KEY));
    RejectedRecord bad = decoder.rejected().latest().get(3);
    assertThat(bad.key()).isEqualTo("a/0");
    assertThat(bad.firstBytes()).isEqualTo("c102");
    assertThat(bad.bytes()).isEqualTo(2);
    assertThat(bad.reason()).isNotBlank();
    assertThat(view.counters.counts().garbage()).isEqualTo(4);
  }

  @Test
  void manyBadRecords_leaveABoundedNumberAndAllTheirCounts() {
    for (int i = 0; i < 2 * RejectedRecords.KEPT; i++) {
      decoder.decode(record(i, new byte[] {1}));
    }
    decoder.decode(record(2 * RejectedRecords.KEPT - 1, new byte[] {1}));

    assertThat(decoder.rejected().latest()).hasSize(RejectedRecords.KEPT);
    assertThat(decoder.rejected().count(RejectedRecord.Kind.UNDECODABLE))
        .isEqualTo(2L * RejectedRecords.KEPT + 1);
  }

  @Test
  void nothingOfWhatWasReceived_isKept() {
    TestAgent agent = new TestAgent("a");
    List<byte[]> received = new ArrayList<>();
    received.add(codec.encode(agent.up()));
    agent.acknowledged(1);
    received.add(codec.encode(agent.heartbeat()));
    received.add(codec.encode(agent.admit(1, 2, 3)));
    agent.snapshot().forEach(event -> received.add(codec.encode(event)));
    List<WeakReference<byte[]>> references = new ArrayList<>();
    for (int i = 0; i < received.size(); i++) {
      references.add(new WeakReference<>(received.get(i)));
      LogRecord record = decoder.decode(record(i + 1, received.get(i)));
      assertThat(record).isNotNull();
      view.read(record);
    }
    received.clear();

    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              System.gc();
              return references.stream().allMatch(reference -> reference.refersTo(null));
            });
    assertThat(view.held(agent)).isEqualTo(agent.resident());
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, byte @Nullable [] value) {
    return record(offset, null, value);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      long offset, @Nullable String key, byte @Nullable [] value) {
    byte[] bytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
    return new ConsumerRecord<>("test.events", 3, offset, bytes, value);
  }
}

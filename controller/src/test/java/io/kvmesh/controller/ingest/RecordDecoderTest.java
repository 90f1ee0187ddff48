package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.Tick;
import java.lang.ref.WeakReference;
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
    assertThat(view.counters.counts().garbage()).isZero();
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
    return new ConsumerRecord<>("test.events", 3, offset, null, value);
  }
}

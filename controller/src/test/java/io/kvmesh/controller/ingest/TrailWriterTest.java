package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What the trail tells of a log. */
class TrailWriterTest {

  private final Trail trail = new Trail(() -> Instant.ofEpochMilli(1));
  private final WorkerRegistry registry = new WorkerRegistry();
  private final IngestCounters counters = new IngestCounters();
  private final MemoryApplier applier =
      new MemoryApplier(
          new MemoryIndex(),
          registry,
          new AppliedBarriers(registry, 0),
          new WorkerStreams(
              new WorkerStreams.Liveness(
                  Duration.ofSeconds(15),
                  Duration.ofSeconds(60),
                  Duration.ofSeconds(10),
                  Duration.ofSeconds(300)),
              counters),
          counters,
          new TrailWriter(trail));
  private final TestAgent agent = new TestAgent("a");
  private long offset = 100;
  private long millis = 1_000_000;

  private void append(LogEvent event) {
    offset++;
    applier.apply(new LogRecord(0, offset, millis, event));
    applier.publish();
  }

  private void start() {
    append(agent.up());
    agent.acknowledged(offset);
  }

  private List<TrailEvent> told(Kind kind) {
    return trail.read(null, EnumSet.of(kind), event -> true, 1000).events();
  }

  private List<String> texts(Kind kind) {
    return told(kind).stream().map(TrailEvent::text).toList();
  }

  @Test
  void batch_isOneEventWithItsNumbersAndFirstHashes() {
    start();
    append(
        agent.batch(
            List.of(agent.admitOne(1), agent.admitOne(2), agent.evictOne(1), agent.admitOne(-3))));

    assertThat(told(Kind.OPERATIONS))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.instanceId()).isEqualTo("a");
              assertThat(event.rank()).isZero();
              assertThat(event.epoch()).isEqualTo(101);
              assertThat(event.sequence()).isEqualTo(4);
              assertThat(event.admits()).isEqualTo(3);
              assertThat(event.evicts()).isEqualTo(1);
              assertThat(event.hashes()).containsExactly(1L, 2L, 1L);
              assertThat(event.text()).isEqualTo(TestAgent.KEYSPACE.toString());
              assertThat(event.millis()).isEqualTo(1_000_000);
            });
    assertThat(texts(Kind.REGISTERED)).containsExactly("agent at 10.0.0.1:7000, model llama");
  }

  @Test
  void gapAndItsRepair_areToldWithNumbersAndStates() {
    start();
    append(agent.admit(1, 2));
    agent.admit(3, 4, 5);
    append(agent.admit(6));
    agent.snapshot().forEach(this::append);

    assertThat(texts(Kind.GAP)).containsExactly("operations 3 to 5 are missing");
    assertThat(texts(Kind.SNAPSHOT)).containsExactly("began", "applied: 6 chunks");
    assertThat(texts(Kind.STATE)).containsExactly("suspect, was live", "live, was suspect");
  }

  @Test
  void recordsFullOfGaps_tellOfTheFirstOnly() {
    start();
    append(
        agent.batch(
            LongStream.range(0, 100)
                .mapToObj(
                    number -> {
                      agent.admitOne(1000 + number);
                      return agent.admitOne(number);
                    })
                .toList()));

    assertThat(told(Kind.GAP)).hasSizeBetween(1, 10);
    assertThat(counters.gaps.sum()).isEqualTo(100);
  }

  @Test
  void silenceEndAndLaterRecordsOfALife_areTold() {
    start();
    LogEvent late = agent.admit(1);
    append(agent.heartbeat());
    for (int i = 0; i < 4; i++) {
      millis += 5_000;
      append(new Tick());
    }
    assertThat(texts(Kind.STATE)).containsExactly("silent, was live");

    start();
    append(late);
    append(agent.down(DownReason.EXPIRED));

    assertThat(texts(Kind.REFUSED))
        .containsExactly("record at offset 108 is of life 101, which life 107 has ended");
    assertThat(texts(Kind.DOWN)).containsExactly("life 107 is over: expired");
  }

  @Test
  void whatTheWorkerHoldsOtherwise_isToldOnce() {
    start();
    append(agent.admit(1));
    agent.resident().add(5L);
    append(agent.heartbeat());
    append(agent.heartbeat());

    assertThat(told(Kind.MISMATCH)).hasSize(1);
  }
}

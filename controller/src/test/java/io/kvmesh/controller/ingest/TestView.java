package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** A log of one partition and the view in memory made of it, in one thread. */
final class TestView {

  static final int PARTITION = 3;

  final IngestCounters counters = new IngestCounters();
  final MemoryIndex index;
  final WorkerStreams streams =
      new WorkerStreams(
          new WorkerStreams.Liveness(
              Duration.ofSeconds(15),
              Duration.ofSeconds(60),
              Duration.ofSeconds(10),
              Duration.ofSeconds(300)),
          counters);

  private long offset = 1_000;
  private long now = 1_700_000_000_000L;

  TestView() {
    this(new MemoryIndex());
  }

  TestView(MemoryIndex index) {
    this.index = index;
  }

  /** Time goes by, on the broker's clock. */
  void pass(Duration time) {
    now += time.toMillis();
  }

  /** What the broker would stamp on a record now. */
  long millis() {
    return now;
  }

  /** Appends and applies the event; its offset. */
  long append(LogEvent event) {
    offset++;
    read(new LogRecord(PARTITION, offset, now, event));
    return offset;
  }

  /** Applies the record. */
  void read(LogRecord record) {
    Decision decision = streams.decide(record);
    if (decision != null) {
      ChangeOutcome outcome = index.apply(decision.change());
      assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
      decision.stream().settle(decision, (ChangeOutcome.Applied) outcome);
    }
  }

  /** Appends and applies the event; what a durable view stores with it. */
  WorkerProgress storedWith(LogEvent event) {
    offset++;
    Decision decision = streams.decide(new LogRecord(PARTITION, offset, now, event));
    assertThat(decision).isNotNull();
    WorkerProgress stored = decision.change().progress().get();
    decision.stream().settle(decision, (ChangeOutcome.Applied) index.apply(decision.change()));
    return stored;
  }

  /** Appends what the view never gets to see. */
  void lose(LogEvent event) {
    offset++;
  }

  /** The agent starts a life. */
  void start(TestAgent agent) {
    LogEvent up = agent.up();
    assertThat(up).isInstanceOf(WorkerUp.class);
    agent.acknowledged(append(up));
  }

  void appendAll(Iterable<? extends LogEvent> events) {
    events.forEach(this::append);
  }

  /** The owner of the partition writes a tick after every interval. */
  void ticks(int count) {
    for (int i = 0; i < count; i++) {
      pass(Duration.ofSeconds(5));
      append(new Tick());
    }
  }

  boolean knows(TestAgent agent) {
    return streams.stream(agent.id()) != null;
  }

  WorkerView view(TestAgent agent) {
    WorkerStream stream = streams.stream(agent.id());
    assertThat(stream).as("stream of %s", agent.id()).isNotNull();
    return stream.view(streams.isSilent(stream));
  }

  /** What the view says the agent holds, of the chunks below 1,000. */
  Set<Long> held(TestAgent agent) {
    Set<Long> held = new HashSet<>();
    for (long hash = 0; hash < 1_000; hash++) {
      if (index.prefix(agent.id(), TestAgent.LOCATION, TestAgent.KEYSPACE, new long[] {hash}) > 0) {
        held.add(hash);
      }
    }
    return held;
  }

  /** What the view says of the agent's only location. */
  LocationView location(TestAgent agent) {
    LocationView location = view(agent).locations().get(TestAgent.LOCATION);
    assertThat(location).isNotNull();
    return location;
  }
}

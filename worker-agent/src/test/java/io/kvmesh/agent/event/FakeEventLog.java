package io.kvmesh.agent.event;

import io.kvmesh.common.wire.event.LogEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** A log in memory that does as it is told. */
final class FakeEventLog implements EventLog {

  /** What becomes of a record. */
  enum Mode {
    /** It is there at once. */
    TAKE,
    /** It waits until the test decides. */
    HOLD,
    /** It is refused at once, and so is being made ready. */
    REFUSE
  }

  private record Held(LogEvent event, Completion completion) {}

  final List<LogEvent> records = new ArrayList<>();
  Mode mode = Mode.TAKE;

  /** Offsets are so much lower: as if the log had been replaced. */
  long replacedBy;

  private final Deque<Held> held = new ArrayDeque<>();

  @Override
  public void prepare(Completion completion) {
    completion.done(-1, mode == Mode.REFUSE ? new IllegalStateException("away") : null);
  }

  @Override
  public void send(LogEvent event, Completion completion) {
    switch (mode) {
      case TAKE -> take(event, completion);
      case HOLD -> held.add(new Held(event, completion));
      case REFUSE -> refuse(completion);
    }
  }

  private void take(LogEvent event, Completion completion) {
    records.add(event);
    completion.done(offset(records.size() - 1) - replacedBy, null);
  }

  private static void refuse(Completion completion) {
    completion.done(-1, new IllegalStateException("refused"));
  }

  /** The offset of a record: its place here, after a hundred of somebody else. */
  static long offset(int index) {
    return 100L + index;
  }

  int held() {
    return held.size();
  }

  /** The oldest records that wait are there. */
  void takeHeld(int count) {
    for (int i = 0; i < count; i++) {
      Held next = held.remove();
      take(next.event(), next.completion());
    }
  }

  /** The oldest records that wait are refused. */
  void refuseHeld(int count) {
    for (int i = 0; i < count; i++) {
      refuse(held.remove().completion());
    }
  }

  /** The oldest record that waits is there, but the writer is told that it isn't. */
  void takeHeldSilently() {
    Held next = held.remove();
    records.add(next.event());
    refuse(next.completion());
  }

  <T extends LogEvent> Stream<T> all(Class<T> type) {
    return records.stream().filter(type::isInstance).map(type::cast);
  }

  <T extends LogEvent> int count(Class<T> type) {
    return (int) all(type).count();
  }

  @Override
  public void close(Duration atMost) {
    held.clear();
  }
}

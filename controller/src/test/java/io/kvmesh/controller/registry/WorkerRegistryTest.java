package io.kvmesh.controller.registry;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class WorkerRegistryTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final long START = 1_700_000_000_000L;
  private static final long HOUR = WorkerRegistry.REMEMBERED.toMillis();

  private long now = START;
  private final WorkerRegistry registry = new WorkerRegistry(() -> Instant.ofEpochMilli(now));

  @Test
  void writtenOff_isToldUntilItIsBack() {
    registry.put(live(A, 5, agent("url-A")));
    writeOff(A);
    assertThat(registry.writtenOff()).containsExactly(new WrittenOff(A, 5, "url-A", START));

    registry.put(live(A, 6, agent("url-A")));
    assertThat(registry.writtenOff()).isEmpty();
  }

  @Test
  void writtenOff_isForgottenAfterAnHour() {
    writeOff(A);
    now = START + HOUR;
    assertThat(registry.writtenOff()).hasSize(1);
    now++;
    assertThat(registry.writtenOff()).isEmpty();
  }

  @Test
  void viewThatReadsTheLogAnew_tellsOfNoneWrittenOffLongAgo() {
    now = START + HOUR + 1;
    writeOff(A);
    assertThat(registry.writtenOff()).isEmpty();
  }

  @Test
  void anotherLog_nobodyIsWrittenOff() {
    writeOff(A);
    registry.clear();
    assertThat(registry.writtenOff()).isEmpty();
  }

  @Test
  void moreThanAreRemembered_theFirstGoes() {
    for (int i = 0; i <= WorkerRegistry.MAX_WRITTEN_OFF; i++) {
      writeOff(new WorkerId("w" + i, 0));
    }
    assertThat(registry.writtenOff()).hasSize(WorkerRegistry.MAX_WRITTEN_OFF);
    assertThat(registry.writtenOff().getFirst().id()).isEqualTo(new WorkerId("w1", 0));
  }

  private void writeOff(WorkerId id) {
    registry.writeOff(id, 5, START);
    registry.remove(id);
  }
}

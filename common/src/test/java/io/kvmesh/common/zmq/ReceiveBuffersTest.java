package io.kvmesh.common.zmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import zmq.Msg;

class ReceiveBuffersTest {

  private static final int MIB = 1 << 20;

  @Test
  void allocate_small_onTheHeap() {
    ReceiveBuffers buffers = new ReceiveBuffers(10 * MIB, 8 * MIB);

    Msg message = buffers.allocate(1000);

    assertThat(message.size()).isEqualTo(1000);
    assertThat(message.buf().hasArray()).isTrue();
    assertThat(buffers.nativeBytes()).isZero();
  }

  @Test
  void allocate_released_isUsedAgain() {
    ReceiveBuffers buffers = new ReceiveBuffers(10 * MIB, 8 * MIB);
    for (int i = 0; i < 100; i++) {
      Frame frame = Frame.received(buffers.allocate(MIB - i));
      assertThat(frame.size()).isEqualTo(MIB - i);
      frame.release();
      frame.release();
    }

    assertThat(buffers.nativeBytes()).isEqualTo(MIB);
    Msg one = buffers.allocate(MIB);
    Msg two = buffers.allocate(MIB);
    one.put((byte) 1);
    two.put((byte) 2);
    assertThat(one.get(0)).isEqualTo((byte) 1);
  }

  @Test
  void allocate_boundReached_onTheHeapAndCounted() {
    ReceiveBuffers buffers = new ReceiveBuffers(2 * MIB, 8 * MIB);
    List<Msg> held = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      held.add(buffers.allocate(MIB));
    }

    assertThat(buffers.nativeBytes()).isEqualTo(2 * MIB);
    assertThat(buffers.overflows()).isEqualTo(1);
    assertThat(held.getLast().buf().hasArray()).isTrue();
  }

  @Test
  void allocate_bothBoundsReached_takesNoMoreMemoryAndIsLost() {
    ReceiveBuffers buffers = new ReceiveBuffers(0, 2 * MIB);
    List<Msg> held = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      held.add(buffers.allocate(MIB));
    }
    for (int i = 0; i < 10_000; i++) {
      ReceivedMsg lost = (ReceivedMsg) buffers.allocate(16 * MIB);
      assertThat(lost.isLost()).isTrue();
      assertThat(lost.size()).isEqualTo(16 * MIB);
      held.add(lost);
    }

    assertThat(buffers.lost()).isEqualTo(10_000);
    assertThat(buffers.heapBytes()).isEqualTo(2 * MIB);
    Frame.received(held.getFirst()).release();
    Frame.received(held.getFirst()).release();
    assertThat(buffers.heapBytes()).isEqualTo(MIB);
    assertThat(((ReceivedMsg) buffers.allocate(MIB)).isLost()).isFalse();
  }

  @Test
  void allocate_onTheHeapAndNeverReleased_leavesTheAccountWhenCollected() {
    ReceiveBuffers buffers = new ReceiveBuffers(0, 8 * MIB);
    for (int i = 0; i < 4; i++) {
      buffers.allocate(MIB);
    }

    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              System.gc();
              return buffers.heapBytes() == 0;
            });
  }

  @Test
  void allocate_neverReleased_leavesTheAccountWhenCollected() {
    ReceiveBuffers buffers = new ReceiveBuffers(4 * MIB, 8 * MIB);
    for (int i = 0; i < 4; i++) {
      buffers.allocate(MIB);
    }

    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              System.gc();
              return buffers.nativeBytes() == 0;
            });
  }

  @Test
  void copyTo_receivedFrame_exactlyItsBytes() {
    ReceiveBuffers buffers = new ReceiveBuffers(4 * MIB, 8 * MIB);
    Msg message = buffers.allocate(100_000);
    for (int i = 0; i < 100_000; i++) {
      message.put((byte) i);
    }
    Frame frame = Frame.received(message);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(131_072);

      frame.copyTo(page);

      assertThat(page.get(ValueLayout.JAVA_BYTE, 99_999)).isEqualTo((byte) 99_999);
      assertThat(page.get(ValueLayout.JAVA_BYTE, 100_000)).isZero();
      assertThat(frame.toArray()).hasSize(100_000);
      assertThat(frame.buffer().remaining()).isEqualTo(100_000);
    }
  }
}

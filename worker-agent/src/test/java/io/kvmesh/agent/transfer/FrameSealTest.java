package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.handshake.SealTerms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Only the frame that was sealed for a place can be opened there. */
class FrameSealTest {

  private static final byte[] PLAIN = "some bytes of a chunk".getBytes(StandardCharsets.UTF_8);
  private static final Bytes KEY = Bytes.of(new byte[FrameSeal.KEY_BYTES]);
  private static final SealTerms TERMS = new SealTerms(5, KEY);

  private final FrameSeal owner = FrameSeal.ofOwner(TERMS);
  private final FrameSeal requester = FrameSeal.ofRequester(TERMS);

  private static boolean opens(FrameSeal with, long requestId, int index, byte[] sealed) {
    try {
      assertThat(with.open(requestId, index, sealed)).isEqualTo(PLAIN);
      return true;
    } catch (BrokenSealException e) {
      return false;
    }
  }

  private static byte[] sealed(FrameSeal by, long requestId, int index) {
    return by.seal(requestId, index, ByteBuffer.wrap(PLAIN));
  }

  @Test
  void frame_isOpenedAtTheOtherEnd() {
    assertThat(opens(requester, 7, 3, sealed(owner, 7, 3))).isTrue();
    assertThat(opens(owner, 8, 0, sealed(requester, 8, 0))).isTrue();
  }

  @Test
  void frame_isNotReadable() {
    byte[] sealed = sealed(owner, 7, 3);
    assertThat(sealed).hasSize(PLAIN.length + FrameSeal.OVERHEAD_BYTES);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("bytes");
  }

  @Test
  void frame_isOpenedNowhereElse() {
    byte[] sealed = sealed(owner, 7, 3);
    assertThat(opens(requester, 8, 3, sealed)).as("another request").isFalse();
    assertThat(opens(requester, 7, 4, sealed)).as("another frame").isFalse();
    assertThat(opens(owner, 7, 3, sealed)).as("the other direction").isFalse();
    SealTerms otherSession = new SealTerms(6, KEY);
    assertThat(opens(FrameSeal.ofRequester(otherSession), 7, 3, sealed)).isFalse();
    SealTerms otherKey =
        new SealTerms(5, Bytes.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8)));
    assertThat(opens(FrameSeal.ofRequester(otherKey), 7, 3, sealed)).isFalse();
  }

  @Test
  void frameWithAnyByteChanged_isRefused() {
    byte[] sealed = sealed(owner, 7, 3);
    for (int at = 0; at < sealed.length; at++) {
      byte[] changed = sealed.clone();
      changed[at] ^= 1;
      assertThat(opens(requester, 7, 3, changed)).as("byte " + at).isFalse();
    }
  }

  @Test
  void frameOfAnyOtherLength_isRefused() {
    byte[] sealed = sealed(owner, 7, 3);
    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      assertThatThrownBy(() -> requester.open(7, 3, cut)).isInstanceOf(BrokenSealException.class);
    }
    byte[] longer = Arrays.copyOf(sealed, sealed.length + 1);
    assertThat(opens(requester, 7, 3, longer)).isFalse();
  }

  @Test
  void noTwoFrames_haveOneNonce() {
    Set<Long> counters = new HashSet<>();
    Set<Bytes> frames = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      byte[] sealed = sealed(owner, 7, 3);
      counters.add(FrameSeal.counterOf(sealed));
      frames.add(Bytes.of(sealed));
    }
    assertThat(counters).hasSize(1000);
    assertThat(frames).hasSize(1000);
  }

  @Test
  void memoryOffTheHeap_isSealedAndOpened() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(1 << 20);
      page.fill((byte) 9);
      MemorySegment target = arena.allocate(1 << 20);
      byte[] sealed = owner.seal(7, 1, page.asReadOnly().asByteBuffer());
      MemorySegment received = arena.allocate(sealed.length);
      received.copyFrom(MemorySegment.ofArray(sealed));
      boolean opened =
          requester.newOpener().open(7, 1, received.asByteBuffer(), target.asByteBuffer());
      assertThat(opened).isTrue();
      assertThat(target.mismatch(page)).isEqualTo(-1);
    }
  }
}

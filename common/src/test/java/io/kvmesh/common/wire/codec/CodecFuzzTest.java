package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.wire.Message;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whatever the bytes: a message or a WireFormatException, and no wild allocation. */
class CodecFuzzTest {

  private static final int ALLOCATED_A_BYTE = 200;
  private static final int ALLOCATED_ANYWAY = 256 << 10;

  private final MessageCodec codec = new MessageCodec();
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private boolean warm;

  CodecFuzzTest() {
    // Schemas are made once, which allocates.
    decodeAsAny(new byte[0]);
    warm = true;
  }

  private void decodeAsAny(byte[] bytes) {
    RandomMessages.FAMILIES.forEach(family -> decode(family, bytes));
  }

  private void decode(Class<? extends Message> family, byte[] bytes) {
    long before = threads.getCurrentThreadAllocatedBytes();
    Message message = null;
    try {
      message = codec.decode(family, bytes);
    } catch (WireFormatException e) {
      assertThat(e.offset()).isBetween(0, bytes.length);
      assertThat(e.path()).startsWith("$");
    } catch (RuntimeException | Error e) {
      throw new AssertionError(describe(family, bytes), e);
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    if (warm && allocated > ALLOCATED_ANYWAY + (long) ALLOCATED_A_BYTE * bytes.length) {
      throw new AssertionError(describe(family, bytes) + ": allocated " + allocated);
    }
    if (message != null) {
      assertThat(encodedAgain(family, message)).isEqualTo(message);
    }
  }

  private Message encodedAgain(Class<? extends Message> family, Message message) {
    try {
      return codec.decode(family, codec.encode(message));
    } catch (WireFormatException e) {
      throw new AssertionError("seed " + seed + ": " + message, e);
    }
  }

  private String describe(Class<?> family, byte[] bytes) {
    return "seed %d, %s: %s".formatted(seed, family, HexFormat.of().formatHex(bytes));
  }

  private static List<byte[]> goldenFrames() {
    return Stream.of("controller_messages.json", "p2p_messages.json")
        .flatMap(file -> GoldenFile.read(file, "vectors"))
        .map(vector -> HexFormat.of().parseHex(vector.path("msgpack_hex").asString()))
        .toList();
  }

  @Test
  void randomMessages_ofEveryType_comeBack() throws Exception {
    RandomMessages messages = new RandomMessages(random);
    for (Class<? extends Message> family : RandomMessages.FAMILIES) {
      for (Class<?> type : RandomMessages.typesOf(family)) {
        for (int i = 0; i < 20; i++) {
          Message message = (Message) messages.next(type);
          byte[] bytes = codec.encode(message);
          assertThat(codec.decode(family, bytes)).as("seed %d, %s", seed, type).isEqualTo(message);
          assertThat(codec.encode(codec.decode(family, bytes))).isEqualTo(bytes);
        }
      }
    }
  }

  @Test
  void randomBytes_neverAnotherException() {
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(100)];
      random.nextBytes(bytes);
      if (bytes.length > 0 && random.nextBoolean()) {
        bytes[0] = (byte) (0x80 + random.nextInt(16));
      }
      decodeAsAny(bytes);
    }
  }

  @Test
  void truncatedFrames_everyLength_neverAnotherException() {
    for (byte[] frame : goldenFrames()) {
      for (int length = 0; length < Math.min(frame.length, 400); length++) {
        decodeAsAny(Arrays.copyOf(frame, length));
      }
    }
  }

  @Test
  void mutatedFrames_neverAnotherException() {
    List<byte[]> frames = goldenFrames();
    for (int i = 0; i < 15_000; i++) {
      byte[] frame = frames.get(random.nextInt(frames.size())).clone();
      for (int change = 1 + random.nextInt(3); change > 0; change--) {
        frame[random.nextInt(frame.length)] = (byte) random.nextInt();
      }
      decodeAsAny(random.nextInt(4) == 0 ? spliced(frame, frames) : frame);
    }
  }

  private byte[] spliced(byte[] frame, List<byte[]> frames) {
    byte[] other = frames.get(random.nextInt(frames.size()));
    int cut = random.nextInt(frame.length);
    int from = random.nextInt(other.length);
    byte[] bytes = Arrays.copyOf(frame, cut + other.length - from);
    System.arraycopy(other, from, bytes, cut, other.length - from);
    return bytes;
  }

  @Test
  void messagesOfFallingSize_eachEncodedWhole() throws Exception {
    RandomMessages messages = new RandomMessages(random);
    List<Class<?>> types = new ArrayList<>();
    RandomMessages.FAMILIES.forEach(family -> types.addAll(RandomMessages.typesOf(family)));
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      batch.add((Message) messages.next(types.get(random.nextInt(types.size()))));
    }
    batch.sort((a, b) -> codec.encode(b).length - codec.encode(a).length);
    for (Message message : batch) {
      assertThat(codec.decode(message.getClass(), codec.encode(message))).isEqualTo(message);
    }
  }
}

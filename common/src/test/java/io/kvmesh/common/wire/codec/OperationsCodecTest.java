package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.LogEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;

/** Operations are read in two ways, which must not differ. */
class OperationsCodecTest {

  private static final long[] EDGES = {
    0,
    1,
    31,
    32,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    0xffff_ffffL,
    0x1_0000_0000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -32,
    -33,
    -128,
    -129,
    -32_768,
    -32_769,
    Integer.MIN_VALUE,
    Integer.MIN_VALUE - 1L
  };

  private final MessageCodec codec = new MessageCodec();

  @Test
  void operations_comeBackAsTheyWere_withTheirSigns() throws WireFormatException {
    List<KVOpEvent> operations = new ArrayList<>();
    for (long edge : EDGES) {
      for (OpType type : OpType.values()) {
        operations.add(new KVOpEvent(type, ChunkHash.ofSigned(edge), 7));
        operations.add(new KVOpEvent(type, ChunkHash.ofUnsigned(edge), edge));
      }
    }
    BatchedKVOperation message = message(operations);

    BatchedKVOperation decoded =
        (BatchedKVOperation) codec.decode(LogEvent.class, codec.encode(message));

    assertThat(decoded).isEqualTo(message);
    assertThat(decoded.operations()).isEqualTo(operations);
    assertThat(decoded.operations().stream().map(op -> op.key().toString()))
        .isEqualTo(operations.stream().map(op -> op.key().toString()).toList());
    assertThat(codec.encode(decoded)).isEqualTo(codec.encode(message));
  }

  @Test
  void otherEncodings_areReadAsWell() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<KVOpEvent> operations = new ArrayList<>();
      for (int i = random.nextInt(5); i >= 0; i--) {
        ChunkHash hash = ChunkHash.ofUnsigned(EDGES[random.nextInt(EDGES.length)]);
        OpType type = random.nextBoolean() ? OpType.ADMIT : OpType.EVICT;
        operations.add(new KVOpEvent(type, hash, random.nextLong() >>> (1 + random.nextInt(62))));
      }
      byte[] bytes = written(operations, random);
      LogEvent decoded = codec.decode(LogEvent.class, bytes);
      assertThat(decoded).as("seed %d", seed).isEqualTo(message(operations));
    }
  }

  /** As a writer may: fields in any order, others between them, integers as wide as it likes. */
  private static byte[] written(List<KVOpEvent> operations, Random random) throws IOException {
    try (MessageBufferPacker out = new MsgpackLibrary().newPacker()) {
      out.packMapHeader(7).packString("type").packString("BatchedKVOperation");
      out.packString("instance_id").packString("a").packString("worker_id").packInt(0);
      out.packString("epoch").packLong(5).packString("location").packString("there");
      out.packString("keyspace").packString("m@1@0@half").packString("operations");
      out.packArrayHeader(operations.size());
      for (KVOpEvent operation : operations) {
        List<String> fields = new ArrayList<>(List.of("op_type", "key", "seq_num"));
        if (random.nextBoolean()) {
          fields.add("later_field");
        }
        if (random.nextBoolean()) {
          Collections.shuffle(fields, random);
        }
        out.packMapHeader(fields.size());
        for (String field : fields) {
          out.packString(field);
          switch (field) {
            case "op_type" -> out.packString(operation.opType().name().toLowerCase(Locale.ROOT));
            case "key" -> wide(out, operation.key().bits(), false);
            case "seq_num" -> {
              if (random.nextBoolean()) {
                out.packLong(operation.seqNum());
              } else {
                wide(out, operation.seqNum(), true);
              }
            }
            default -> out.packNil();
          }
        }
      }
      return out.toByteArray();
    }
  }

  private static void wide(MessageBufferPacker out, long bits, boolean signed) throws IOException {
    byte[] nine = new byte[9];
    nine[0] = (byte) (signed ? 0xd3 : 0xcf);
    for (int i = 0; i < 8; i++) {
      nine[1 + i] = (byte) (bits >>> (56 - 8 * i));
    }
    out.writePayload(nine);
  }

  @Test
  void everyCutAndEveryFlippedBit_isAFaultOrAMessage_neverAnotherException() {
    byte[] bytes =
        codec.encode(
            message(
                List.of(
                    new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(-2), 300),
                    new KVOpEvent(OpType.EVICT, ChunkHash.ofSigned(77), 301))));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> codec.decode(LogEvent.class, cut))
          .isInstanceOf(WireFormatException.class);
    }
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertThat(codec.decode(LogEvent.class, flipped)).isNotNull();
      } catch (WireFormatException e) {
        assertThat(e.code()).isNotNull();
      }
    }
  }

  @Test
  void fault_namesItsPlace() {
    byte[] bytes =
        codec.encode(
            message(
                List.of(
                    new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(1), 1),
                    new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(1), 2))));
    String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    bytes[text.lastIndexOf("admit")] = 'A';

    assertThatThrownBy(() -> codec.decode(LogEvent.class, bytes))
        .isInstanceOfSatisfying(
            WireFormatException.class,
            e -> {
              assertThat(e.code()).isEqualTo(Code.INVALID_VALUE);
              assertThat(e.path()).isEqualTo("$.operations[1].op_type");
            });
  }

  @Test
  void depthIsLimited_whereQuickReadingMakesNoDifference() {
    byte[] bytes =
        codec.encode(message(List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(1), 1))));
    MessageCodec shallow = new MessageCodec(new DecodeLimits(1 << 20, 1 << 20, 2));

    assertThatThrownBy(() -> shallow.decode(LogEvent.class, bytes))
        .isInstanceOfSatisfying(
            WireFormatException.class, e -> assertThat(e.code()).isEqualTo(Code.LIMIT_EXCEEDED));
  }

  @Test
  void wideHash_isRefused() {
    KVOpEvent wide = new KVOpEvent(OpType.ADMIT, ChunkHash.ofBytes(new byte[16]), 1);

    assertThatThrownBy(() -> KVOperations.of(List.of(wide)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64 bits");
  }

  @Test
  void subLists_areCopies() {
    KVOperations all =
        KVOperations.of(
            List.of(
                new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(-5), 1),
                new KVOpEvent(OpType.EVICT, ChunkHash.ofUnsigned(6), 2),
                new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(7), 3)));

    assertThat(all.subList(0, 3)).isSameAs(all);
    assertThat(all.subList(1, 2)).containsExactly(all.get(1));
    assertThat(all.subList(2, 2)).isEmpty();
    assertThat(all.get(0).key().isNegative()).isTrue();
  }

  private static BatchedKVOperation message(List<KVOpEvent> operations) {
    return new BatchedKVOperation("a", 0, 5, "there", "m@1@0@half", operations);
  }
}

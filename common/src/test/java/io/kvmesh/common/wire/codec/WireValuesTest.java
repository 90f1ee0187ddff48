package io.kvmesh.common.wire.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.ExtensionValue;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.engine.EngineLeaseMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hashes, extensions, format numbers and the arguments of heartbeat commands. */
class WireValuesTest {

  private final MessageCodec codec = new MessageCodec();

  private WireFormatException refused(Class<? extends Message> family, byte[] bytes) {
    return catchThrowableOfType(WireFormatException.class, () -> codec.decode(family, bytes));
  }

  @Test
  void heartbeatCommand_argumentsOfAnyKind_comeBack() throws Exception {
    Map<String, @Nullable Object> args = new LinkedHashMap<>();
    args.put("nil", null);
    args.put("yes", true);
    args.put("small", 5L);
    args.put("negative", Long.MIN_VALUE);
    args.put("large", BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE));
    args.put("float", 1.5f);
    args.put("double", Math.PI);
    args.put("text", "ü");
    args.put("bytes", Bytes.of(new byte[] {1, 2}));
    args.put("ext", new ExtensionValue((byte) -1, Bytes.of(new byte[] {0, 0, 0, 1})));
    args.put("list", Arrays.asList(1L, null, List.of()));
    args.put("map", Map.of(7L, "seven"));
    HeartbeatRetMsg message = new HeartbeatRetMsg(List.of(new FullSyncCommand("why", args)), 42L);

    HeartbeatRetMsg decoded = codec.decode(HeartbeatRetMsg.class, codec.encode(message));

    assertThat(decoded).isEqualTo(message);
    assertThat(codec.encode(decoded)).isEqualTo(codec.encode(message));
  }

  @Test
  void heartbeatCommand_unknownOrUntagged_refused() {
    for (String tag : List.of("reboot", "FullSyncCommand")) {
      byte[] bytes =
          Msgpack.bytes(
              out -> {
                out.packMapHeader(2).packString("type").packString("HeartbeatRetMsg");
                out.packString("commands").packArrayHeader(1).packMapHeader(1);
                out.packString("command_type").packString(tag);
              });
      assertThat(refused(DirectoryMessage.class, bytes))
          .hasMessageStartingWith("Invalid value '" + tag + "' - at `$.commands[0].command_type`");
    }
    byte[] untagged =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(2).packString("type").packString("HeartbeatRetMsg");
              out.packString("commands").packArrayHeader(1).packMapHeader(1);
              out.packString("reason").packString("x");
            });
    assertThat(refused(DirectoryMessage.class, untagged).path())
        .isEqualTo("$.commands[0].command_type");
  }

  @Test
  void extension_null_isLeftOut() throws Exception {
    BatchedP2PLookupMsg foreign = new BatchedP2PLookupMsg(List.of(), "a", 0);
    BatchedP2PLookupMsg ours = new BatchedP2PLookupMsg(List.of(), "a", 0, "m@1@0@half");

    assertThat(new String(codec.encode(foreign), ISO_8859_1)).doesNotContain("keyspace");
    assertThat(codec.decode(DirectoryMessage.class, codec.encode(foreign))).isEqualTo(foreign);
    assertThat(codec.decode(DirectoryMessage.class, codec.encode(ours))).isEqualTo(ours);
  }

  @Test
  void traceparent_isAtTheEndWhereThereIsOneAndLeftOutWhereNot() throws Exception {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    List<Message> plain =
        List.of(
            new EngineLookupMsg(1, List.of(), true),
            new EngineRetrieveMsg(1, 0, List.of(), 5),
            new EngineLeaseMsg(1, 0, List.of(), 5),
            new EnginePrefetchMsg(1, List.of(), 5),
            new BatchedP2PLookupMsg(List.of(), "a", 0, "m@1@0@half"),
            new BatchedLookupAndGetMsg("l", "r", List.of(), List.of(), 3L, 4L));
    List<Message> traced =
        List.of(
            new EngineLookupMsg(1, List.of(), true, trace),
            new EngineRetrieveMsg(1, 0, List.of(), 5, trace),
            new EngineLeaseMsg(1, 0, List.of(), 5, trace),
            new EnginePrefetchMsg(1, List.of(), 5, trace),
            new BatchedP2PLookupMsg(List.of(), "a", 0, "m@1@0@half", trace),
            new BatchedLookupAndGetMsg("l", "r", List.of(), List.of(), 3L, 4L, trace));

    for (int i = 0; i < plain.size(); i++) {
      String without = new String(codec.encode(plain.get(i)), ISO_8859_1);
      String with = new String(codec.encode(traced.get(i)), ISO_8859_1);
      assertThat(without).doesNotContain("traceparent");
      // But for the number of fields in the first byte, and the field itself, they are the same.
      assertThat(with.substring(1)).startsWith(without.substring(1)).endsWith(trace);
      assertThat((int) with.charAt(0)).isEqualTo(without.charAt(0) + 1);
      assertThat(codec.decode(traced.get(i).getClass(), codec.encode(traced.get(i))))
          .isEqualTo(traced.get(i));
    }
  }

  @Test
  void format_laterThanOurs_refusedAsSuch() throws Exception {
    byte[] later =
        Msgpack.bytes(
            out ->
                out.packMapHeader(2)
                    .packString("type")
                    .packString("Tick")
                    .packString("format")
                    .packInt(2));
    byte[] absent =
        Msgpack.bytes(out -> out.packMapHeader(1).packString("type").packString("Tick"));
    byte[] none =
        Msgpack.bytes(
            out ->
                out.packMapHeader(2)
                    .packString("type")
                    .packString("Tick")
                    .packString("format")
                    .packInt(0));

    assertThat(refused(LogEvent.class, later).code()).isEqualTo(Code.UNSUPPORTED_FORMAT);
    assertThat(refused(LogEvent.class, later).rule())
        .isEqualTo(
            "Expected format 1 or earlier, got 2: its writer is of a later version, upgrade this"
                + " reader");
    assertThat(refused(LogEvent.class, none).code()).isEqualTo(Code.INVALID_VALUE);
    assertThat(codec.decode(LogEvent.class, absent)).isEqualTo(new Tick());
  }

  @Test
  void everyRecordOfTheLogAndEveryIntroduction_hasAFormat() {
    Stream<Class<?>> ours =
        Stream.concat(
            Arrays.stream(LogEvent.class.getPermittedSubclasses()),
            Stream.of(KvmeshInitRequest.class, KvmeshInitResponse.class, OpenSessionMsg.class));
    assertThat(ours)
        .allSatisfy(
            type ->
                assertThat(type.getRecordComponents())
                    .anyMatch(it -> it.isAnnotationPresent(FormatNumber.class)));
  }

  /** 2^63 and above stay what they are and don't merge with negative numbers. */
  @Test
  void hashes_above63Bits_keepTheirNumber() throws Exception {
    List<String> unsigned =
        List.of("9223372036854775808", "18446744073709551615", "18446462598732840960");
    List<KVOpEvent> operations = new ArrayList<>();
    for (String number : unsigned) {
      operations.add(
          new KVOpEvent(OpType.ADMIT, ChunkHash.ofUnsigned(Long.parseUnsignedLong(number)), 1));
    }
    BatchedKVOperationMsg message = new BatchedKVOperationMsg("a", 0, "L", operations);

    BatchedKVOperationMsg decoded =
        codec.decode(BatchedKVOperationMsg.class, codec.encode(message));

    assertThat(decoded.operations().stream().map(op -> Long.toUnsignedString(op.key().bits())))
        .containsExactlyElementsOf(unsigned);
    assertThat(HexFormat.of().formatHex(codec.encode(decoded)))
        .contains("cf8000000000000000", "cfffffffffffffffff", "cfffff000000000000");
  }

  /** A number that passed a double or lost its upper half would merge two of these. */
  @Test
  void hashes_thatNarrowingWouldMerge_stayFour() throws Exception {
    long h = 0x0123456789abcdefL;
    List<ChunkHash> hashes =
        List.of(
            ChunkHash.ofUnsigned(h),
            ChunkHash.ofUnsigned(h + (1L << 32)),
            ChunkHash.ofUnsigned(h + (1L << 53)),
            ChunkHash.ofUnsigned(h ^ (1L << 63)));
    BatchedP2PLookupMsg message = new BatchedP2PLookupMsg(hashes, "a", 0);

    BatchedP2PLookupMsg decoded = codec.decode(BatchedP2PLookupMsg.class, codec.encode(message));

    assertThat(decoded.hashes()).isEqualTo(hashes).doesNotHaveDuplicates();
  }
}

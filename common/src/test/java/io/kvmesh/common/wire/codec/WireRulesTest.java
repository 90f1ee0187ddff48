package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.control.ControlMessage;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.DirectoryPush;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.KVAdmitMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.handshake.HandshakeMessage;
import io.kvmesh.common.wire.peer.PeerMessage;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessagePacker;

/** The rules of decoding, one by one. */
class WireRulesTest {

  private final MessageCodec codec = new MessageCodec();

  private WireFormatException refused(Class<? extends Message> family, byte[] bytes) {
    return catchThrowableOfType(WireFormatException.class, () -> codec.decode(family, bytes));
  }

  private static byte[] status(Msgpack.Script workerId) {
    return Msgpack.bytes(
        out -> {
          out.packMapHeader(4).packString("type").packString("FullSyncStatusMsg");
          out.packString("instance_id").packString("a").packString("worker_id");
          workerId.write(out);
          out.packString("sync_id").packString("s");
        });
  }

  @Test
  void decode_unknownFieldsAndOtherOrder_accepted() throws Exception {
    byte[] bytes =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(6).packString("sync_id").packString("s");
              out.packString("later").packMapHeader(1).packInt(1).packArrayHeader(2).packNil();
              out.packFloat(1.5f).packString("worker_id").packInt(3);
              out.packString("type").packString("FullSyncStatusMsg");
              out.packString("x".repeat(300)).packBinaryHeader(2).writePayload(new byte[2]);
              out.packString("instance_id").packString("a");
            });

    assertThat(codec.decode(DirectoryMessage.class, bytes))
        .isEqualTo(new FullSyncStatusMsg("a", 3, "s"));
  }

  @Test
  void decode_defaultedFieldsAbsent_haveTheirDefaults() throws Exception {
    byte[] admit =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(5).packString("type").packString("KVAdmitMsg");
              out.packString("instance_id").packString("a").packString("worker_id").packInt(0);
              out.packString("key").packInt(5).packString("location").packString("L");
            });
    byte[] heartbeat =
        Msgpack.bytes(out -> out.packMapHeader(1).packString("type").packString("HeartbeatRetMsg"));

    assertThat(codec.decode(DirectoryMessage.class, admit))
        .isEqualTo(new KVAdmitMsg("a", 0, ChunkHash.ofSigned(5), "L", 0));
    assertThat(codec.decode(DirectoryMessage.class, heartbeat))
        .isEqualTo(new HeartbeatRetMsg(List.of()));
  }

  @Test
  void decode_nilWhereAllowed_accepted() throws Exception {
    RegisterMsg withoutUrl = new RegisterMsg("a", 0, "10.0.0.1", 1, null);

    assertThat(codec.decode(DirectoryMessage.class, codec.encode(withoutUrl)))
        .isEqualTo(withoutUrl);
  }

  @Test
  void decode_otherTypesForInt_refused() {
    Map<String, Msgpack.Script> values =
        Map.of(
            "float", out -> out.packDouble(1.0),
            "bool", out -> out.packBoolean(true),
            "str", out -> out.packString("1"),
            "None", MessagePacker::packNil,
            "bytes", out -> out.packBinaryHeader(0),
            "array", out -> out.packArrayHeader(0),
            "object", out -> out.packMapHeader(0),
            "ext", out -> out.packExtensionTypeHeader((byte) 1, 1).writePayload(new byte[1]));
    values.forEach(
        (name, value) -> {
          WireFormatException e = refused(DirectoryMessage.class, status(value));
          assertThat(e.code()).isEqualTo(Code.WRONG_TYPE);
          assertThat(e.path()).isEqualTo("$.worker_id");
          assertThat(e.rule()).isEqualTo("Expected `int`, got `" + name + "`");
        });
  }

  @Test
  void decode_integersInAnyWidth_accepted() throws Exception {
    for (String hex :
        List.of(
            "05",
            "cc05",
            "cd0005",
            "ce00000005",
            "cf0000000000000005",
            "d005",
            "d10005",
            "d200000005",
            "d30000000000000005")) {
      byte[] value = HexFormat.of().parseHex(hex);
      assertThat(codec.decode(DirectoryMessage.class, status(out -> out.addPayload(value))))
          .isEqualTo(new FullSyncStatusMsg("a", 5, "s"));
    }
  }

  @Test
  void decode_all32NegativeFixints_right() throws Exception {
    for (int i = 1; i <= 32; i++) {
      byte[] value = {(byte) -i};
      KVAdmitMsg expected = new KVAdmitMsg("a", 0, ChunkHash.ofSigned(-i), "L", 0);
      byte[] encoded = codec.encode(expected);
      assertThat(HexFormat.of().formatHex(encoded))
          .contains("6b6579" + HexFormat.of().formatHex(value));
      KVAdmitMsg decoded = codec.decode(KVAdmitMsg.class, encoded);
      assertThat(decoded.key().bits()).isEqualTo(-i);
      assertThat(decoded.key()).hasToString("-" + Integer.toHexString(i));
    }
  }

  @Test
  void decode_intBeyondTheField_refused() {
    for (String hex :
        List.of("ce80000000", "cf8000000000000000", "d2ffffffff7f", "d3ffffffff7fffffff")) {
      byte[] value =
          HexFormat.of()
              .parseHex(hex.length() > 10 && hex.startsWith("d2") ? "d380000000ffffffff" : hex);
      WireFormatException e = refused(DirectoryMessage.class, status(out -> out.addPayload(value)));
      assertThat(e.code()).isEqualTo(Code.OUT_OF_RANGE);
      assertThat(e.path()).isEqualTo("$.worker_id");
    }
  }

  /** Integers are also floats, as for msgspec; true and false are not. */
  @Test
  void decode_intForFloat_acceptedAndWrittenAsFloat() throws Exception {
    Msgpack.Script[] ones = {
      out -> out.packInt(1), out -> out.packFloat(1), out -> out.packDouble(1)
    };
    for (Msgpack.Script one : ones) {
      FullSyncStatusRetMsg message = codec.decode(FullSyncStatusRetMsg.class, progress(one));
      assertThat(message.globalProgress()).isEqualTo(1.0);
      assertThat(codec.encode(message)).isEqualTo(progress(out -> out.packDouble(1)));
    }
    FullSyncStatusRetMsg huge =
        codec.decode(
            FullSyncStatusRetMsg.class,
            progress(
                out -> out.packBigInteger(BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE))));
    assertThat(huge.globalProgress()).isEqualTo(0x1p64);
    assertThat(refused(DirectoryMessage.class, progress(out -> out.packBoolean(true))).rule())
        .isEqualTo("Expected `float`, got `bool`");
  }

  private static byte[] progress(Msgpack.Script value) {
    return Msgpack.bytes(
        out -> {
          out.packMapHeader(6).packString("type").packString("FullSyncStatusRetMsg");
          out.packString("sync_id").packString("s").packString("is_complete").packBoolean(true);
          out.packString("global_progress");
          value.write(out);
          out.packString("can_exit_freeze").packBoolean(true);
          out.packString("missing_batches").packArrayHeader(0);
        });
  }

  @Test
  void decode_boolFields_takeOnlyBools() {
    byte[] bytes =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(3).packString("type").packString("FullSyncStartRetMsg");
              out.packString("sync_id").packString("s").packString("accepted").packInt(1);
            });
    assertThat(refused(DirectoryMessage.class, bytes))
        .hasMessageStartingWith("Expected `bool`, got `int` - at `$.accepted`");
  }

  @Test
  void decode_nullableField_saysWhatIsExpected() {
    byte[] url =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(6).packString("type").packString("RegisterMsg");
              out.packString("instance_id").packString("a").packString("worker_id").packInt(0);
              out.packString("ip").packString("i").packString("port").packInt(1);
              out.packString("peer_init_url").packInt(7);
            });
    assertThat(refused(DirectoryMessage.class, url).rule())
        .isEqualTo("Expected `str | null`, got `int`");
  }

  @Test
  void decode_trailingBytesOrTwoMessages_refusedAsAUnit() throws Exception {
    byte[] one = codec.encode(new KVAdmitMsg("a", 0, ChunkHash.ofSigned(5), "L", 0));
    byte[] two = Arrays.copyOf(one, 2 * one.length);
    System.arraycopy(one, 0, two, one.length, one.length);
    for (byte[] bytes : List.of(two, Arrays.copyOf(one, one.length + 1))) {
      WireFormatException e = refused(DirectoryMessage.class, bytes);
      assertThat(e.code()).isEqualTo(Code.TRAILING_BYTES);
      assertThat(e.offset()).isEqualTo(one.length);
    }
    assertThat(codec.decode(DirectoryMessage.class, one)).isNotNull();
  }

  @Test
  void decode_messageOfAnotherFamily_unexpected() {
    byte[] heartbeat = codec.encode(new HeartbeatMsg("a", 0, "i", 1, null));

    for (Class<? extends Message> family :
        List.of(
            ControlMessage.class,
            PeerMessage.class,
            HandshakeMessage.class,
            LogEvent.class,
            DirectoryPush.class,
            RegisterMsg.class)) {
      WireFormatException e = refused(family, heartbeat);
      assertThat(e.code()).isEqualTo(Code.UNEXPECTED_TYPE);
      assertThat(e).hasMessageStartingWith("Invalid value 'HeartbeatMsg' - at `$.type`");
    }
    assertThat(
            refused(
                    DirectoryRequest.class,
                    Msgpack.bytes(
                        out -> out.packMapHeader(1).packString("type").packString("Heartbeat?")))
                .code())
        .isEqualTo(Code.UNKNOWN_TYPE);
  }

  @Test
  void decode_typeTwice_mustBeTheSame() throws Exception {
    byte[] same = status(out -> out.packInt(0).packString("type").packString("FullSyncStatusMsg"));
    byte[] other = status(out -> out.packInt(0).packString("type").packString("HeartbeatMsg"));
    same[0] = other[0] = (byte) 0x85;

    assertThat(codec.decode(DirectoryMessage.class, same))
        .isEqualTo(new FullSyncStatusMsg("a", 0, "s"));
    assertThat(refused(DirectoryMessage.class, other).path()).isEqualTo("$.type");
  }

  @Test
  void decode_typeOrKeysOfOtherTypes_refused() {
    byte[] type = Msgpack.bytes(out -> out.packMapHeader(1).packString("type").packInt(3));
    byte[] key = Msgpack.bytes(out -> out.packMapHeader(1).packInt(3).packString("type"));

    assertThat(refused(DirectoryMessage.class, type))
        .hasMessageStartingWith("Expected `str`, got `int` - at `$.type`");
    assertThat(refused(DirectoryMessage.class, key).rule()).isEqualTo("Expected `str`, got `int`");
  }

  @Test
  void decode_invalidUtf8_refused() throws Exception {
    for (String hex : List.of("a1ff", "a2c080", "a3eda080", "a1c3", "a4f4908080", "a2c320")) {
      byte[] value = HexFormat.of().parseHex(hex);
      byte[] bytes =
          Msgpack.bytes(
              out -> {
                out.packMapHeader(4).packString("type").packString("FullSyncStatusMsg");
                out.packString("instance_id").addPayload(value);
                out.packString("worker_id").packInt(0).packString("sync_id").packString("s");
              });
      WireFormatException e = refused(DirectoryMessage.class, bytes);
      assertThat(e.code()).isEqualTo(Code.INVALID_UTF8);
      assertThat(e.path()).isEqualTo("$.instance_id");
    }
    FullSyncStatusMsg odd = new FullSyncStatusMsg("\ufffd ü 漢 \ud83d\ude00", 0, "");
    assertThat(codec.decode(DirectoryMessage.class, codec.encode(odd))).isEqualTo(odd);
  }

  @Test
  void decode_deepInside_pathNamesThePlace() {
    byte[] bytes =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(2).packString("type").packString("BatchedP2PLookupRetMsg");
              out.packString("layout_info").packArrayHeader(2);
              out.packArrayHeader(4).packString("i").packString("l").packInt(1).packString("u");
              out.packArrayHeader(4)
                  .packString("i")
                  .packString("l")
                  .packString("1")
                  .packString("u");
            });
    assertThat(refused(DirectoryMessage.class, bytes))
        .hasMessageStartingWith("Expected `int`, got `str` - at `$.layout_info[1][2]`");
  }

  @Test
  void decode_arrayOfAnotherLength_refused() {
    byte[] bytes =
        Msgpack.bytes(
            out -> {
              out.packMapHeader(2).packString("type").packString("BatchedP2PLookupRetMsg");
              out.packString("layout_info").packArrayHeader(1);
              out.packArrayHeader(3).packString("i").packString("l").packInt(1);
            });
    assertThat(refused(DirectoryMessage.class, bytes))
        .hasMessageStartingWith("Expected `array` of length 4, got 3 - at `$.layout_info[0]`");
  }
}

package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.codec.WireFormatException.Code;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusRetMsg;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** JSON frames: the same messages and the same refusals as in msgpack, with the text's places. */
class JsonFrameTest {

  private static final int ALLOCATED_A_BYTE = 400;
  private static final int ALLOCATED_ANYWAY = 512 << 10;

  private final MessageCodec codec = new MessageCodec();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private DirectoryMessage decode(String text) throws WireFormatException {
    return codec.decodeJson(DirectoryMessage.class, utf8(text));
  }

  private WireFormatException refused(byte[] text) {
    assertThat(MessageCodec.isJson(text)).isTrue();
    WireFormatException fault =
        catchThrowableOfType(
            WireFormatException.class, () -> codec.decodeJson(DirectoryMessage.class, text));
    assertThat(fault).as(new String(text, StandardCharsets.UTF_8)).isNotNull();
    return fault;
  }

  private void refused(String text, Code code, String place, String rule, String offender) {
    WireFormatException fault = refused(utf8(text));
    assertThat(fault.code()).as(text + ": " + fault.getMessage()).isEqualTo(code);
    assertThat(fault.path()).as(text).isEqualTo(place);
    assertThat(fault.rule()).as(text).contains(rule);
    assertThat(fault.offset()).as(text).isEqualTo(utf8(text.split(offender, -1)[0]).length);
  }

  @TestFactory
  Stream<DynamicTest> goldenFrames_sameAsTheirTwins() {
    return GoldenFile.read("json_fallback.json", "vectors")
        .map(
            vector ->
                DynamicTest.dynamicTest(vector.path("name").asString(), () -> checkTwin(vector)));
  }

  private void checkTwin(JsonNode vector) throws WireFormatException {
    byte[] twin = HexFormat.of().parseHex(vector.path("msgpack_hex").asString());
    byte[] text = utf8(vector.path("json_frame").asString());

    DirectoryMessage message = codec.decodeJson(DirectoryMessage.class, text);

    assertThat(MessageCodec.isJson(text)).isTrue();
    assertThat(MessageCodec.isJson(twin)).isFalse();
    assertThat(message).isEqualTo(codec.decode(DirectoryMessage.class, twin));
    assertThat(codec.encode(message)).isEqualTo(twin);
  }

  @Test
  void values_ofEveryKind_exact() throws WireFormatException {
    assertThat(
            decode(
                """
                { "instance_id" : "a\\u00fc\\ud83d\\ude00\\n", "type":"BatchedP2PLookupMsg" ,
                  "unknown": [{"x":[1.5e3,null,true]}, "", {}, []], "worker_id": 1,
                  "hashes":[0,-1,9007199254740993,18446744073709551615,-9223372036854775808],
                  "worker_id": 2 }\
                """))
        .isEqualTo(
            new BatchedP2PLookupMsg(
                List.of(
                    ChunkHash.ofSigned(0),
                    ChunkHash.ofSigned(-1),
                    ChunkHash.ofSigned(9007199254740993L),
                    ChunkHash.ofUnsigned(-1),
                    ChunkHash.ofSigned(Long.MIN_VALUE)),
                "aü😀\n",
                2));
    assertThat(
            decode(
                """
                {"type":"FullSyncStatusRetMsg","sync_id":"s","is_complete":true,\
                "global_progress":1,"can_exit_freeze":false}\
                """))
        .isEqualTo(new FullSyncStatusRetMsg("s", true, 1.0, false, List.of()));
  }

  @Test
  void longArrays_andManyFields_exact() throws WireFormatException {
    StringBuilder text = new StringBuilder("{\"type\":\"BatchedKVOperationMsg\",\"operations\":[");
    List<KVOpEvent> operations =
        random
            .longs(70_000)
            .mapToObj(key -> new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(key), key >>> 2))
            .toList();
    operations.forEach(
        operation ->
            text.append(
                "{\"op_type\":\"admit\",\"key\":%s,\"seq_num\":%d},"
                    .formatted(operation.key().bits(), operation.seqNum())));
    text.setCharAt(text.length() - 1, ']');
    text.append(",\"instance_id\":\"a\",\"worker_id\":0,\"location\":\"L\"}");
    assertThat(decode(text.toString()))
        .isEqualTo(new BatchedKVOperationMsg("a", 0, "L", operations));
  }

  @Test
  void wrongFields_sameRulesAndPathsAsMsgpack_atTheirPlaceInTheText() {
    String start = "{\"type\":\"FullSyncStatusMsg\",\"instance_id\":\"ü\",";
    refused(
        start + "\"worker_id\":1.0,\"sync_id\":\"s\"}",
        Code.WRONG_TYPE,
        "$.worker_id",
        "Expected `int`, got `float`",
        "1.0");
    refused(
        start + "\"worker_id\":true,\"sync_id\":\"s\"}",
        Code.WRONG_TYPE,
        "$.worker_id",
        "Expected `int`, got `bool`",
        "true");
    refused(
        start + "\"worker_id\":\"7\",\"sync_id\":\"s\"}",
        Code.WRONG_TYPE,
        "$.worker_id",
        "Expected `int`, got `str`",
        "\"7\"");
    refused(
        start + "\"worker_id\":1, \"sync_id\": null}",
        Code.WRONG_TYPE,
        "$.sync_id",
        "Expected `str`, got `None`",
        "null");
    refused(
        start + "\"worker_id\":1}",
        Code.MISSING_FIELD,
        "$.sync_id",
        "Object missing required field `sync_id`",
        "\\{");
    refused("{\"type\":\"X\"}", Code.UNKNOWN_TYPE, "$.type", "Invalid value 'X'", "\"X\"");
    refused("{\"a\":[1]}", Code.MISSING_TYPE, "$.type", "missing required field `type`", "\\{");
    refused(
        "{\"type\":\"BatchedP2PLookupMsg\",\"hashes\":[1,[2]]}",
        Code.WRONG_TYPE,
        "$.hashes[1]",
        "Expected `int`, got `array`",
        "\\[2");
  }

  @Test
  void wrongFamily_toldApart() {
    byte[] text = utf8("{\"type\":\"LookupMsg\",\"event_id\":\"e\",\"tokens\":[]}");
    assertThat(
            catchThrowableOfType(
                    WireFormatException.class, () -> codec.decodeJson(DirectoryRequest.class, text))
                .code())
        .isEqualTo(Code.UNEXPECTED_TYPE);
  }

  @Test
  void numbers_thatNothingHolds_outOfRange() {
    String start = "{\"type\":\"BatchedP2PLookupMsg\",\"hashes\":[1,";
    for (String number : List.of("18446744073709551616", "-9223372036854775809", "9".repeat(999))) {
      refused(start + number + "]}", Code.OUT_OF_RANGE, "$.hashes[1]", "-2^63 to 2^64-1", number);
    }
    refused("{\"x\":1e999}", Code.OUT_OF_RANGE, "$.x", "Expected `float` of 64 bits", "1e999");
    WireFormatException digits = refused(utf8(start + "9".repeat(5000) + "]}"));
    assertThat(digits.code()).isEqualTo(Code.LIMIT_EXCEEDED);
  }

  @Test
  void noJson_malformed() {
    for (String text :
        List.of(
            "{]",
            "{x:1}",
            "{'x':1}",
            "{\"x\":01}",
            "{\"x\":NaN}",
            "{\"x\":1,}",
            "{\"x\" 1}",
            "{\"x\":[1 2]}",
            "{\"x\":\"\t\"}",
            "{\"x\":\"\\x\"}",
            "{/**/}",
            "{\"x\":+1}",
            "{\"x\":.5}",
            "{\"x\":tru}",
            "{\"x\":\"\\ud800\"}",
            "{\"\\udc00\":1}")) {
      WireFormatException fault = refused(utf8(text));
      assertThat(fault.code()).as(text + ": " + fault.getMessage()).isEqualTo(Code.MALFORMED);
      assertThat(fault.rule()).startsWith("JSON is malformed: ");
    }
    for (String text : List.of("{", "{\"x", "{\"x\":", "{\"x\":[", "{\"x\":[1", "{\"x\":{}")) {
      assertThat(refused(utf8(text)).code()).as(text).isEqualTo(Code.TRUNCATED);
    }
    assertThat(refused(utf8("{\"type\":\"X\"}{}")).code()).isEqualTo(Code.TRAILING_BYTES);
    byte[] broken = {'{', '"', (byte) 0xc0, (byte) 0xaf, '"', ':', '1', '}'};
    assertThat(refused(broken).code()).isEqualTo(Code.INVALID_UTF8);
    assertThat(refused(broken).offset()).isEqualTo(2);
    assertThat(refused("{\0\"\0}\0".getBytes(StandardCharsets.US_ASCII)).code())
        .isEqualTo(Code.MALFORMED);
  }

  @Test
  void limits_ofBytesElementsAndDepth_hold() {
    MessageCodec strict = new MessageCodec(new DecodeLimits(1000, 10, 20));
    for (String text :
        List.of(
            "{\"x\":" + "[".repeat(900),
            "{\"x\":" + "{\"y\":".repeat(100),
            "{\"x\":[" + "1,".repeat(20) + "1]}",
            "{\"x\":\"" + "y".repeat(1000) + "\"}")) {
      assertThat(
              catchThrowableOfType(
                      WireFormatException.class,
                      () -> strict.decodeJson(DirectoryMessage.class, utf8(text)))
                  .code())
          .as(text)
          .isEqualTo(Code.LIMIT_EXCEEDED);
    }
    assertThat(refused(utf8("{\"x\":" + "[".repeat(1_000_000))).path()).startsWith("$.x[0][0]");
  }

  /** Whatever the text: a message or a WireFormatException, and memory in proportion. */
  @Test
  void mutatedFrames_neverAnotherException() throws WireFormatException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<byte[]> frames =
        GoldenFile.read("json_fallback.json", "vectors")
            .map(vector -> utf8(vector.path("json_frame").asString()))
            .toList();
    frames.forEach(this::decodeAny);
    for (int i = 0; i < 20_000; i++) {
      byte[] frame = mutated(frames.get(random.nextInt(frames.size())));
      long before = threads.getCurrentThreadAllocatedBytes();
      decodeAny(frame);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated)
          .as("seed %d: %s", seed, new String(frame, StandardCharsets.UTF_8))
          .isLessThan(ALLOCATED_ANYWAY + (long) ALLOCATED_A_BYTE * frame.length);
    }
    assertThat(
            decode(
                "{\"type\":\"FullSyncStatusMsg\",\"instance_id\":\"a\",\"worker_id\":0,\"sync_id\":\"s\"}"))
        .isEqualTo(new FullSyncStatusMsg("a", 0, "s"));
  }

  private byte[] mutated(byte[] frame) {
    byte[] bytes = Arrays.copyOf(frame, 1 + random.nextInt(frame.length));
    byte[] signs = utf8("{}[]\",:\\u0e-. tn");
    for (int change = random.nextInt(4); change > 0; change--) {
      byte sign =
          random.nextBoolean() ? signs[random.nextInt(signs.length)] : (byte) random.nextInt();
      bytes[random.nextInt(bytes.length)] = sign;
    }
    return bytes;
  }

  private void decodeAny(byte[] frame) {
    try {
      codec.decodeJson(DirectoryMessage.class, frame);
    } catch (WireFormatException e) {
      assertThat(e.offset()).isBetween(0, frame.length);
      assertThat(e.path()).startsWith("$");
    } catch (RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + new String(frame, StandardCharsets.UTF_8), e);
    }
  }
}

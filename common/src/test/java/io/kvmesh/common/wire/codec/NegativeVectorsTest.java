package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** What the real decoder refuses we refuse, in its words; what it accepts we accept. */
class NegativeVectorsTest {

  private final MessageCodec codec = new MessageCodec();

  @TestFactory
  Stream<DynamicTest> decode_malformedFrames_sameVerdict() {
    return GoldenFile.read("negative.json", "decode")
        .map(
            vector -> DynamicTest.dynamicTest(vector.path("name").asString(), () -> check(vector)));
  }

  private void check(JsonNode vector) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(vector.path("msgpack_hex").asString());
    if (vector.path("outcome").asString().equals("accepted")) {
      Message message = codec.decode(DirectoryMessage.class, bytes);
      assertThat(message)
          .isEqualTo(JsonRecords.toRecord(message.getClass(), vector.path("decoded")));
      return;
    }
    assertThatThrownBy(() -> codec.decode(DirectoryMessage.class, bytes))
        .asInstanceOf(InstanceOfAssertFactories.type(WireFormatException.class))
        .satisfies(
            e -> {
              // The original of the invalid text is Python's, not msgspec's.
              if (vector.path("exception").asString().equals("UnicodeDecodeError")) {
                assertThat(e.code()).isEqualTo(WireFormatException.Code.INVALID_UTF8);
              } else {
                assertThat(e).hasMessageStartingWith(ruleOf(vector));
              }
              assertThat(e.path()).startsWith("$");
              assertThat(e.offset()).isBetween(0, bytes.length);
            });
  }

  private static String ruleOf(JsonNode vector) {
    return vector.path("text").asString();
  }

  /** Integers beyond 64 bits, which the real encoder refuses, can't be hashes of 64 bits. */
  @Test
  void encode_hashBeyond64Bits_refused() {
    ChunkHash wide = ChunkHash.parse("10000000000000000");

    assertThatThrownBy(() -> codec.encode(new BatchedP2PLookupMsg(List.of(wide), "a", 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64 bits");
    assertThatThrownBy(() -> ChunkHash.parse("-8000000000000001"))
        .isInstanceOf(KeyFormatException.class);
  }

  @Test
  void decode_bytesForAHash_refused() {
    GoldenFile.read("negative.json", "encode")
        .filter(vector -> vector.path("outcome").asString().equals("encoded"))
        .forEach(
            vector -> {
              byte[] bytes = HexFormat.of().parseHex(vector.path("msgpack_hex").asString());
              assertThatThrownBy(() -> codec.decode(DirectoryMessage.class, bytes))
                  .isInstanceOf(WireFormatException.class)
                  .hasMessageStartingWith("Expected `int`, got `bytes` - at `$.hashes[0]`");
            });
  }
}

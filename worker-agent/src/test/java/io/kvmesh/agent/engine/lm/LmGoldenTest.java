package io.kvmesh.agent.engine.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.common.wire.codec.GoldenFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** Headers that LMCache wrote are what we read, and what we write. */
class LmGoldenTest {

  private static final String FILE = "lm_protocol.json";

  @TestFactory
  Stream<DynamicTest> headers_bothWays_sameBytesAndValues() {
    assertThat(GoldenFile.root(FILE).path("client_size").asInt()).isEqualTo(LmRequest.BYTES);
    assertThat(GoldenFile.root(FILE).path("server_size").asInt()).isEqualTo(LmReply.BYTES);
    return GoldenFile.read(FILE, "vectors")
        .map(
            vector -> DynamicTest.dynamicTest(vector.path("name").asString(), () -> check(vector)));
  }

  private static void check(JsonNode vector) throws Exception {
    byte[] golden = HexFormat.of().parseHex(vector.path("hex").asString());
    JsonNode fields = vector.path("fields");
    ByteBuffer written = ByteBuffer.allocate(golden.length).order(ByteOrder.LITTLE_ENDIAN);
    if (vector.path("kind").asString().equals("client")) {
      ByteBuffer from = ByteBuffer.wrap(golden).order(ByteOrder.LITTLE_ENDIAN);
      LmRequest expected =
          new LmRequest(
              LmCommand.of(fields.path("command").asInt()).orElseThrow(),
              fields.path("length").asInt(),
              form(fields),
              fields.path("key").asString());
      assertThat(LmRequest.read(from)).isEqualTo(expected);
      assertThat(from.hasRemaining()).isFalse();
      expected.write(written);
    } else {
      new LmReply(fields.path("code").asInt(), fields.path("length").asInt(), form(fields))
          .write(written);
    }
    assertThat(HexFormat.of().formatHex(written.array())).isEqualTo(vector.path("hex").asString());
  }

  private static BodyForm form(JsonNode fields) {
    List<Integer> shape = fields.path("shape").valueStream().map(JsonNode::asInt).toList();
    return new BodyForm(
        fields.path("fmt").asInt(),
        fields.path("location").asInt(),
        List.of(new BodyForm.Group(fields.path("dtype").asInt(), shape)));
  }
}

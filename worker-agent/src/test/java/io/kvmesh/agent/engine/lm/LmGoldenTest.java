package io.kvmesh.agent.engine.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.BodyForm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Headers that LMCache wrote are what we read, and what we write. */
class LmGoldenTest {

  @TestFactory
  Stream<DynamicTest> headers_bothWays_sameBytesAndValues() throws Exception {
    JsonNode golden = golden();
    assertThat(golden.path("client_size").asInt()).isEqualTo(LmRequest.BYTES);
    assertThat(golden.path("server_size").asInt()).isEqualTo(LmReply.BYTES);
    return golden
        .path("vectors")
        .valueStream()
        .map(
            vector -> DynamicTest.dynamicTest(vector.path("name").asString(), () -> check(vector)));
  }

  private static JsonNode golden() throws IOException {
    try (InputStream file = LmGoldenTest.class.getResourceAsStream("/golden/lm_protocol.json")) {
      return JsonMapper.shared().readTree(Objects.requireNonNull(file));
    }
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

package io.kvmesh.agent.engine.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.common.key.ChunkKey;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Metadata that LMCache wrote is what we read, and what we write. */
class RespGoldenTest {

  @TestFactory
  Stream<DynamicTest> metadata_bothWays_sameBytesAndValues() throws Exception {
    try (InputStream file =
        RespGoldenTest.class.getResourceAsStream("/golden/redis_metadata.json")) {
      return JsonMapper.shared()
          .readTree(Objects.requireNonNull(file))
          .path("vectors")
          .valueStream()
          .map(it -> DynamicTest.dynamicTest(it.path("name").asString(), () -> check(it)));
    }
  }

  private static void check(JsonNode vector) throws Exception {
    byte[] golden = HexFormat.of().parseHex(vector.path("hex").asString());
    assertThat(golden).hasSize(vector.path("size").asInt());
    JsonNode fields = vector.path("fields");
    List<BodyForm.Group> groups =
        fields.path("groups").valueStream().map(RespGoldenTest::group).toList();
    PairMetadata expected =
        new PairMetadata(
            fields.path("length").asInt(), new BodyForm(fields.path("fmt").asInt(), 1, groups));
    assertThat(PairMetadata.read(golden)).isEqualTo(expected);
    assertThat(expected.write()).isEqualTo(golden);
    RespName metadata = RespName.of(vector.path("key_metadata").asString());
    RespName bytes = RespName.of(vector.path("key_bytes").asString());
    assertThat(metadata.part()).isEqualTo(RespName.Part.METADATA);
    assertThat(bytes.part()).isEqualTo(RespName.Part.KV_BYTES);
    assertThat(metadata.chunk())
        .isEqualTo(bytes.chunk())
        .isEqualTo(
            ChunkKey.parse("meta-llama/Llama-3.1-8B-Instruct@1@0@6b9e2f7a1c3d5e4f@bfloat16"));
  }

  private static BodyForm.Group group(JsonNode group) {
    return new BodyForm.Group(
        group.path("dtype").asInt(),
        group.path("shape").valueStream().map(JsonNode::asInt).toList());
  }
}

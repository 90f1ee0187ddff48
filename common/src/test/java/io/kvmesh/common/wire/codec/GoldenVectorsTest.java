package io.kvmesh.common.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.control.ControlMessage;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.handshake.HandshakeMessage;
import io.kvmesh.common.wire.peer.PeerMessage;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** What the real encoder wrote is what we write, and what we read from it. */
class GoldenVectorsTest {

  private static final List<Class<? extends Message>> FAMILIES =
      List.of(
          DirectoryMessage.class, ControlMessage.class, PeerMessage.class, HandshakeMessage.class);

  private final MessageCodec codec = new MessageCodec();

  @TestFactory
  Stream<DynamicTest> controllerMessages_bothWays_sameBytesAndValues() {
    return tests("controller_messages.json");
  }

  @TestFactory
  Stream<DynamicTest> p2pMessages_bothWays_sameBytesAndValues() {
    return tests("p2p_messages.json");
  }

  private Stream<DynamicTest> tests(String file) {
    return GoldenFile.read(file, "vectors")
        .map(
            vector -> DynamicTest.dynamicTest(vector.path("name").asString(), () -> check(vector)));
  }

  private void check(JsonNode vector) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(vector.path("msgpack_hex").asString());
    String type = vector.path("type").asString();
    int families = 0;
    for (Class<? extends Message> family : FAMILIES) {
      try {
        Message decoded = codec.decode(family, bytes);
        families++;
        assertThat(decoded)
            .isEqualTo(JsonRecords.toRecord(decoded.getClass(), vector.path("fields")));
        assertThat(decoded.getClass().getSimpleName()).isEqualTo(type);
        assertThat(HexFormat.of().formatHex(codec.encode(decoded)))
            .isEqualTo(vector.path("msgpack_hex").asString());
      } catch (WireFormatException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(WireFormatException.Code.UNEXPECTED_TYPE);
      }
    }
    assertThat(families).as("families that have " + type).isPositive();
  }
}

package io.kvmesh.program.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientPropertiesTest {

  @TempDir private Path dir;

  private ClientProperties read(String text) throws IOException {
    return ClientProperties.read(
        Files.writeString(dir.resolve("client.properties"), text).toString());
  }

  @Test
  void read_noFile_isNothingButTheAddress() throws IOException {
    assertThat(ClientProperties.read("").with("kafka:9092"))
        .isEqualTo(Map.of("bootstrap.servers", "kafka:9092"));
  }

  @Test
  void read_securityProperties_areTaken() throws IOException {
    assertThat(read("# of the fleet\nsecurity.protocol=SSL \nssl.truststore.type: PEM\n").values())
        .isEqualTo(Map.of("security.protocol", "SSL", "ssl.truststore.type", "PEM"));
  }

  @Test
  void read_otherProperties_areRefusedByNameWithoutValues() {
    assertThatThrownBy(() -> read("acks=1\nbootstrap.servers=evil\nsasl.mechanism=PLAIN\n"))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("holds acks, bootstrap.servers")
        .hasMessageNotContaining("evil");
  }

  @Test
  void read_noProperties_isRefused() {
    assertThatThrownBy(() -> read("ssl.key=\\u00zz"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("it is not a properties file");
    assertThatThrownBy(() -> ClientProperties.read(dir.resolve("none").toString()))
        .isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "SSL, PLAIN, true",
    "SASL_SSL, PLAIN, true",
    "SASL_SSL, SCRAM-SHA-512, true",
    "SASL_PLAINTEXT, OAUTHBEARER, false",
    "SASL_SSL, GSSAPI, false"
  })
  void needNobody_kerberosAndOauthAskElsewhere(String protocol, String mechanism, boolean expected)
      throws IOException {
    assertThat(
            read("security.protocol=%s\nsasl.mechanism=%s".formatted(protocol, mechanism))
                .needNobody())
        .isEqualTo(expected);
  }
}

package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.PageArena;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of channels and of the key, and what follows from them. */
class ChannelSettingsTest {

  @TempDir private Path directory;

  @Test
  void byDefault_sharedMemoryIsUsedWhereThereIsSome() {
    Parts parts = new Parts(TestSettings.with().load());
    assertThat(parts.channels(Optional.empty()).served()).containsExactly("zmq", "zmq-copy");
    try (PageArena anonymous = PageArena.anonymous(4096);
        PageArena shared =
            PageArena.open(
                new ArenaOptions(
                    4096,
                    Optional.of(directory.resolve("arena")),
                    Map.of(),
                    OptionalInt.empty()))) {
      assertThat(parts.channels(Optional.of(anonymous)).served())
          .containsExactly("zmq", "zmq-copy");
      assertThat(parts.channels(Optional.of(shared)).served())
          .containsExactly("shm", "zmq", "zmq-copy");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nixl", "shm,shm", "zmq,", "zmq-copy", "SHM"})
  void channelsThatAreNone_areRefused(String channels) {
    assertThat(TestSettings.with("peer.channels=" + channels).faults())
        .containsOnlyKeys("kvmesh.peer.channels");
  }

  @Test
  void sharedMemoryAlone_needsAFile() {
    assertThat(TestSettings.with("peer.channels=shm").faults())
        .containsOnlyKeys("kvmesh.peer.channels");
    AgentSettings settings =
        TestSettings.with("peer.channels=shm", "memory.file=/dev/shm/kvmesh-0").load();
    assertThat(settings.peer().channels()).containsExactly("shm");
  }

  @Test
  void withoutAKeyFile_socketsAreOpen() {
    Parts parts = new Parts(TestSettings.with().load());
    assertThat(parts.control().keys()).isEmpty();
    assertThat(parts.peerClient().connectTimeout()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void withAKeyFile_allSocketsButTheEnginesHaveKeys() throws IOException {
    Path file = directory.resolve("key");
    Files.writeString(file, Base64.getEncoder().encodeToString(new byte[32]));
    Parts parts = new Parts(TestSettings.with("security.key-file=" + file).load());
    assertThat(parts.control().keys()).isPresent();
    assertThat(parts.directory().sockets().keys()).isPresent();
    assertThat(parts.peerServer().sockets().keys()).isPresent();
    assertThat(parts.peerClient().sockets().keys()).isPresent();
    assertThat(parts.engine(Optional.empty()).sockets().keys()).isEmpty();
    assertThat(parts.peerClient().connectTimeout()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void keyFileThatHoldsNoKey_isRefused() throws IOException {
    Path file = directory.resolve("key");
    assertThat(TestSettings.with("security.key-file=" + file).faults())
        .containsOnlyKeys("kvmesh.security.key-file");
    Files.writeString(file, "secret");
    assertThat(TestSettings.with("security.key-file=" + file).faults())
        .containsOnlyKeys("kvmesh.security.key-file");
  }

  @Test
  void engineDoorThatOthersReach_isRefusedWithAKey() throws IOException {
    Path file = directory.resolve("key");
    Files.writeString(file, Base64.getEncoder().encodeToString(new byte[32]));
    String key = "security.key-file=" + file;
    assertThat(TestSettings.with(key, "engine.bind=tcp://0.0.0.0:8210").faults())
        .containsOnlyKeys("kvmesh.engine.bind");
    assertThat(TestSettings.with(key, "engine.bind=tcp://[::1]:8210").load()).isNotNull();
  }
}

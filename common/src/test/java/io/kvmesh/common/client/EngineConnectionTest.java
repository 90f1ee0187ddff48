package io.kvmesh.common.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.zmq.ZmqSockets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineConnectionTest {

  /** More than those that wait here and those that its socket takes. */
  private static final int RELEASES = 80_000;

  @Test
  void releasesForAnAgentThatTakesNone_areBoundedAndThoseTooManyCounted() throws Exception {
    EngineClientSettings settings = EngineClientSettings.of("tcp://127.0.0.1:9", "client");
    try (ZmqSockets sockets = new ZmqSockets();
        EngineConnection connection =
            new EngineConnection(
                sockets, settings, reply -> Optional.empty(), id -> new EngineCancelMsg(0, id))) {
      connection.start(settings);

      for (int i = 0; i < RELEASES; i++) {
        connection.tell(new EngineReleaseMsg(0, i));
      }

      assertThat(connection.untold()).isBetween(1L, RELEASES - 65_536L);
    }
  }
}

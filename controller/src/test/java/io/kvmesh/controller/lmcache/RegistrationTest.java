package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.syncing;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a registration is answered, and when it is refused. */
class RegistrationTest {

  private final RequestFixture fixture = new RequestFixture();

  @Test
  void register_isAnsweredOnlyWhenTheLogHasIt() {
    fixture.log.acknowledgeByHand();

    CompletableFuture<DirectoryReply> reply =
        fixture.handler.handle(new RegisterMsg("A", 0, "127.0.0.1", 1, "url"));

    assertThat(reply).isNotDone();
    assertThat(fixture.log.events()).containsExactly(new WorkerUp("A", 0, 0, foreign("url")));
    fixture.log.appended().getFirst().offset().complete(7L);
    assertThat(reply).isCompletedWithValue(new RegisterRetMsg(Map.of("heartbeat_url", "c:8400")));
    assertThat(fixture.workers.epoch(RequestFixture.A)).hasValue(7);
  }

  @Test
  void register_logAway_isAnError() {
    fixture.log.failWith(new IllegalStateException("away"));

    assertThat(RequestFixture.code(fixture.ask(new RegisterMsg("A", 0, "h", 1, null))))
        .isEqualTo(ErrorMsg.NOT_READY);
    assertThat(fixture.counts.losses(FrontCounts.Loss.LOG)).isEqualTo(1);
  }

  @Test
  void register_underALiveAgentsIdentity_isRefused() {
    fixture.registry.put(live(RequestFixture.A, 1, agent("url")));

    assertThat(RequestFixture.code(fixture.ask(new RegisterMsg("A", 0, "h", 1, null))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.log.events()).isEmpty();
    assertThat(fixture.counts.conflicts()).isEqualTo(1);
  }

  @Test
  void register_atAnotherAddress_isTakenOnceTheFormerProcessIsGone() {
    fixture.registry.put(live(RequestFixture.A, 1, foreign("url")));

    CompletableFuture<DirectoryReply> reply =
        fixture.handler.handle(new RegisterMsg("A", 0, "10.0.0.9", 1, "url"));
    fixture.view.catchUp();
    fixture.nanos += Duration.ofSeconds(10).toNanos();
    fixture.clashes.tick();

    assertThat(reply.join()).isInstanceOf(RegisterRetMsg.class);
    assertThat(fixture.counts.conflicts()).isZero();
  }

  @Test
  void register_underTheIdentityOrAtTheAddressOfALiveOne_isRefusedWithTheReason() {
    fixture.registry.put(syncing(new WorkerId("B", 0), WorkerState.LIVE, -1, SyncView.NONE));
    fixture.probed = true;

    var identity = fixture.handler.handle(new RegisterMsg("B", 0, "10.0.0.9", 1, null));
    var address = fixture.handler.handle(new RegisterMsg("A", 0, "127.0.0.1", 1, null));
    var peerAddress = fixture.handler.handle(new RegisterMsg("A", 0, "10.0.0.9", 1, "url"));
    fixture.view.catchUp();
    fixture.clashes.tick();

    assertThat(identity.join())
        .isEqualTo(new ErrorMsg("worker B/0 is alive at 127.0.0.1:1", ErrorMsg.BAD_REQUEST));
    assertThat(address.join())
        .isEqualTo(
            new ErrorMsg(
                "address 127.0.0.1:1 or peer_init_url null is that of worker B/0, which is alive",
                ErrorMsg.BAD_REQUEST));
    assertThat(RequestFixture.code(peerAddress.join())).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.log.events()).isEmpty();
    assertThat(fixture.counts.clashes()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1, url, Invalid address",
    "0.0.0.0, 1, url, 0.0.0.0",
    "'::', 1, url, ::",
    "h, 0, url, Invalid port 0:",
    "h, -1, url, Invalid port -1:",
    "h, 65536, url, Invalid port 65536:",
    "h, 1, 0.0.0.0:8200, 0.0.0.0:8200"
  })
  void anAddressThatCanBeNone_isRefusedWithTheValueAndCounted(
      String ip, int port, String url, String shown) {
    ErrorMsg register = (ErrorMsg) fixture.ask(new RegisterMsg("A", 0, ip, port, url));
    ErrorMsg heartbeat = (ErrorMsg) fixture.ask(new HeartbeatMsg("A", 0, ip, port, url));

    assertThat(register.code()).isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(register.error()).contains(shown);
    assertThat(heartbeat).isEqualTo(register);
    assertThat(fixture.log.events()).isEmpty();
    assertThat(fixture.counts.losses(FrontCounts.Loss.BAD_VALUE)).isEqualTo(2);
    CompletableFuture<DirectoryReply> corrected =
        fixture.handler.handle(new RegisterMsg("A", 0, "10.0.0.1", 1, "url"));
    fixture.view.catchUp();
    assertThat(corrected.join()).isInstanceOf(RegisterRetMsg.class);
  }

  @Test
  void aSyncIdWithoutBound_isRefusedAndCounted() {
    String id = "x".repeat(513);

    assertThat(RequestFixture.code(fixture.ask(new FullSyncStartMsg("A", 0, "l", id, 1, 1))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(RequestFixture.code(fixture.ask(new FullSyncStatusMsg("A", 0, id))))
        .isEqualTo(ErrorMsg.BAD_REQUEST);
    assertThat(fixture.counts.losses(FrontCounts.Loss.BAD_VALUE)).isEqualTo(2);
    assertThat(fixture.log.events()).isEmpty();
  }
}

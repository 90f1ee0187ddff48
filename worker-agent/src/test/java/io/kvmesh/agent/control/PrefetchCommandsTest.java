package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prefixes that are brought here on command. */
@Timeout(60)
class PrefetchCommandsTest extends ControlFixture {

  private static PrefetchWorkerMsg prefetch(String id, @Nullable List<String> keys) {
    return new PrefetchWorkerMsg(id, LOCATION, null, keys, 0);
  }

  @Test
  void prefetch_isAnsweredWhenItIsOver() throws Exception {
    try (TestAgent other = TestAgent.named("other").start()) {
      other.store(TestAgent.keys(1, 4));
      fleet = new LookupOutcome.Found(List.of(new Holder("o", LOCATION, 2, other.address(), 1)));

      PrefetchWorkerRetMsg reply =
          client.ask(PrefetchWorkerRetMsg.class, prefetch("p", texts(TestAgent.keys(1, 4))));

      assertThat(reply.state()).isEqualTo(PrefetchState.DONE);
      assertThat(reply.numTokens()).isEqualTo(4L * TestAgent.TOKENS);
      assertThat(reply.epoch()).isEqualTo(100);
      assertThat(reply.sequence()).isEqualTo(4);
      assertThat(reply.outcomes()).containsEntry(PrefetchOutcome.BROUGHT, 4);
      assertThat(agent.resident(TestAgent.keys(1, 4))).isEqualTo(4);
      assertThat(client.ask(PrefetchWorkerRetMsg.class, new CheckPrefetchWorkerMsg("p")))
          .isEqualTo(reply);
      assertThat(client.ask(ErrorMsg.class, prefetch("p", texts(TestAgent.keys(1, 4)))).code())
          .isEqualTo("bad_request");
    }
  }

  @Test
  void prefetch_thatIsCancelled_isAnsweredThen() throws Exception {
    hang = true;
    try (RawClient second = RawClient.req("127.0.0.1:" + server.port())) {
      client.tell(prefetch("p", texts(TestAgent.keys(1, 4))), List.of());
      await().pollInSameThread().ignoreExceptions().until(() -> prefetcher.underWay().size() == 1);
      PrefetchWorkerRetMsg soFar =
          second.ask(PrefetchWorkerRetMsg.class, new CheckPrefetchWorkerMsg("p"));
      assertThat(soFar.state()).isEqualTo(PrefetchState.RUNNING);
      assertThat(soFar.outcomes()).containsEntry(PrefetchOutcome.UNTRIED, 4);

      second.ask(PrefetchWorkerRetMsg.class, new CancelPrefetchWorkerMsg("p"));

      assertThat(client.answer(PrefetchWorkerRetMsg.class).message().state())
          .isEqualTo(PrefetchState.CANCELLED);
      assertThat(counters.get(ControlCount.CANCEL)).isEqualTo(1);
    }
  }

  @Test
  void prefetch_thatCantBe_isRefusedWithTheReason() {
    assertThat(client.ask(ErrorMsg.class, prefetch("p", null)).error()).contains("at least one");
    List<String> mixed = List.of("m@1@0@1@bfloat16", "m@2@1@2@bfloat16");
    assertThat(client.ask(ErrorMsg.class, prefetch("p", mixed)).error()).contains("share all");
    assertThat(
            client
                .ask(ErrorMsg.class, new PrefetchWorkerMsg("p", LOCATION, List.of(1L), null, 0))
                .code())
        .isEqualTo("unsupported");
    assertThat(client.ask(ErrorMsg.class, new CheckPrefetchWorkerMsg("p")).code())
        .isEqualTo("not_found");
    assertThat(client.ask(ErrorMsg.class, new CancelPrefetchWorkerMsg("p")).code())
        .isEqualTo("not_found");
  }
}

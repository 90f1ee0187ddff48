package io.kvmesh.controller.ops;

import static io.kvmesh.controller.fixture.Workers.keyspace;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.lookup.Holder;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.Requester;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeteredLookupTest {

  private static final Holder HOLDER = new Holder(new WorkerId("A", 0), "l", 1, "url", 7);

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private LookupAnswer next = new LookupAnswer.NotReady();
  private final MeteredLookup lookup = new MeteredLookup((requester, hashes) -> next, meters);

  @Test
  void outcomes_areCountedApart() {
    ask(new LookupAnswer.Found(List.of(HOLDER), 0, 0));
    ask(new LookupAnswer.Found(List.of(HOLDER), 2, 1));
    ask(new LookupAnswer.Found(List.of(), 1, 0));
    ask(new LookupAnswer.NotReady());

    assertThat(count("hit")).isEqualTo(2);
    assertThat(count("miss")).isEqualTo(1);
    assertThat(count("not_ready")).isEqualTo(1);
    assertThat(passedOver("mismatch")).isEqualTo(3);
    assertThat(passedOver("no_address")).isEqualTo(1);
  }

  private void ask(LookupAnswer answer) {
    next = answer;
    assertThat(lookup.find(Requester.outside(keyspace()), new long[] {1})).isSameAs(answer);
  }

  private long count(String outcome) {
    return meters.get("kvmesh.controller.lookups").tag("outcome", outcome).timer().count();
  }

  private double passedOver(String reason) {
    return meters
        .get("kvmesh.controller.lookup.passed.over")
        .tag("reason", reason)
        .counter()
        .count();
  }
}

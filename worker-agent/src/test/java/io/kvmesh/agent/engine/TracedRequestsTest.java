package io.kvmesh.agent.engine;

import static io.kvmesh.agent.transfer.RecordedSpans.attribute;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.RecordedSpans;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of what an engine asks for, of two agents. */
@Timeout(60)
class TracedRequestsTest {

  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 6);
  private static final Traceparent ENGINE =
      new Traceparent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true);

  private final RecordedSpans spans = new RecordedSpans();
  private final Traces traces = new Traces(spans.tracer());
  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  private TestAgent agent;
  private TestAgent owner;
  private NativeDoor door;
  private RawClient client;
  private long session;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").traces(traces).start();
    owner = TestAgent.named("owner").traces(traces).start();
    owner.store(KEYS);
    door =
        TestDoor.start(
            agent,
            TestDoor.settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 8, Duration.ZERO),
            (keyspace, hashes, atMost) -> new LookupOutcome.Found(List.of(holder(hashes.size()))),
            counters);
    client = RawClient.dealer("127.0.0.1:" + door.port());
    session = TestDoor.open(client);
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.close();
    owner.close();
  }

  private Holder holder(int chunks) {
    return new Holder(owner.self.id().instanceId(), "LocalCPUBackend", chunks, owner.address(), 1);
  }

  private EngineRetrieveRetMsg retrieve(@Nullable String traceparent) {
    return client
        .askForAll(
            EngineRetrieveRetMsg.class,
            new EngineRetrieveMsg(session, 0, TestDoor.texts(KEYS), 10_000, traceparent),
            List.of())
        .message();
  }

  @Test
  void retrieve_ofATrace_isSpannedThroughThePullToThePeer() {
    assertThat(retrieve(ENGINE.toString()).numPeer()).isEqualTo(6);

    SpanData request = spans.await("engine retrieve");
    SpanData pull = spans.await("peer pull");
    SpanData served = spans.await("peer get");
    assertThat(List.of(request, pull, served))
        .allSatisfy(it -> assertThat(it.getTraceId()).isEqualTo(ENGINE.traceId()));
    assertThat(request.getParentSpanId()).isEqualTo(ENGINE.spanId());
    assertThat(pull.getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(served.getParentSpanId()).isEqualTo(pull.getSpanId());
    assertThat(attribute(request, "chunks.asked")).isEqualTo(6L);
    assertThat(attribute(request, "chunks.local")).isEqualTo(0L);
    assertThat(attribute(request, "chunks.peer")).isEqualTo(6L);
    assertThat(attribute(request, "outcome")).isEqualTo("hit");
    assertThat(attribute(pull, "chunks.found")).isEqualTo(6L);
    assertThat(attribute(served, "chunks.found")).isEqualTo(6L);
    assertThat(attribute(served, "outcome")).isEqualTo("sent");
    assertThat(owner.served.get(ServerCount.BAD_TRACEPARENT)).isZero();
  }

  @Test
  void retrieve_ofATraceThatIsNotSampled_isNeither() {
    Traceparent unsampled = new Traceparent(ENGINE.traceId(), ENGINE.spanId(), false);

    assertThat(retrieve(unsampled.toString()).numPeer()).isEqualTo(6);

    assertThat(spans.ended()).isEmpty();
  }

  @Test
  void lookup_withoutATrace_beginsOne() {
    client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, TestDoor.texts(KEYS), false));

    SpanData request = spans.await("engine lookup");
    assertThat(request.getParentSpanContext().isValid()).isFalse();
    assertThat(attribute(request, "chunks.peer")).isEqualTo(6L);
  }

  @Test
  void lookup_withWhatIsNoTraceparent_isAnsweredWithoutItsTraceAndCounted() {
    String tooLong = ENGINE + "-more";
    EngineLookupRetMsg found =
        client.ask(
            EngineLookupRetMsg.class,
            new EngineLookupMsg(session, TestDoor.texts(KEYS), false, tooLong));

    assertThat(found.numFleet()).isEqualTo(6);
    assertThat(spans.await("engine lookup").getTraceId()).isNotEqualTo(ENGINE.traceId());
    assertThat(counters.get(EngineCount.BAD_TRACEPARENT)).isEqualTo(1);
  }

  @Test
  void prefetch_ofATrace_isSpannedUntilItIsOver() {
    client.ask(
        EnginePrefetchRetMsg.class,
        new EnginePrefetchMsg(session, TestDoor.texts(KEYS), 0, ENGINE.toString()));

    SpanData prefetch = spans.await("prefetch");
    assertThat(prefetch.getTraceId()).isEqualTo(ENGINE.traceId());
    assertThat(prefetch.getParentSpanId()).isEqualTo(ENGINE.spanId());
    assertThat(attribute(prefetch, "outcome")).isEqualTo("done");
    assertThat(attribute(prefetch, "chunks.peer")).isEqualTo(6L);
    assertThat(spans.await("peer pull").getParentSpanId()).isEqualTo(prefetch.getSpanId());
  }
}

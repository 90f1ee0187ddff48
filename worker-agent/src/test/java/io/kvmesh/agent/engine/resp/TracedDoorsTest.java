package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.transfer.RecordedSpans.attribute;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.engine.lm.LmClient;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.transfer.RecordedSpans;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traces;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of what clients of the TCP doors ask for, of two agents. */
@Timeout(60)
class TracedDoorsTest {

  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 3);

  private final RecordedSpans spans = new RecordedSpans();
  private final Traces traces = new Traces(spans.tracer());
  private final Queue<String> askedWithin = new ConcurrentLinkedQueue<>();
  private TestAgent owner;
  private DoorFixture at;
  private RespClientEnd redis;
  private LmClient lm;

  @BeforeEach
  void start() throws IOException {
    owner = TestAgent.named("owner").traces(traces).start();
    owner.store(KEYS);
    at =
        new DoorFixture(
            8,
            ExistsScope.FLEET,
            noting(DoorFixture.at(owner)),
            (desk, clock) -> new RespProtocol(desk, RespFixture.settings(""), clock),
            traces);
    redis = new RespClientEnd(at.connect());
    int lmPort = at.openFurther((desk, clock) -> new LmProtocol(desk, MAX_BODY));
    lm = new LmClient(DoorFixture.connect(lmPort));
  }

  @AfterEach
  void stop() throws IOException {
    lm.close();
    redis.close();
    at.close();
    owner.close();
  }

  /** Notes the span within which controllers are asked. */
  private PeerDirectory noting(PeerDirectory directory) {
    return (keyspace, hashes, atMost) -> {
      LookupOutcome outcome = directory.lookup(keyspace, hashes, atMost);
      askedWithin.add(Objects.requireNonNull(traces.current()).spanId());
      return outcome;
    };
  }

  private SpanData root(String name) {
    SpanData root = spans.await(name);
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    return root;
  }

  private void requireChunks(SpanData root, long asked, long local, long peer) {
    assertThat(attribute(root, Traces.CHUNKS_ASKED)).isEqualTo(asked);
    assertThat(attribute(root, Traces.CHUNKS_LOCAL)).isEqualTo(local);
    assertThat(attribute(root, Traces.CHUNKS_PEER)).isEqualTo(peer);
  }

  @Test
  void get_beginsATraceOfItsLookupAndPull() throws IOException {
    assertThat(redis.get(KEYS.get(0).toString())).hasSize(DoorFixture.PAGE);

    SpanData root = root("resp get");
    requireChunks(root, 1, 0, 1);
    assertThat(attribute(root, Traces.OUTCOME)).isEqualTo("hit");
    assertThat(askedWithin).containsExactly(root.getSpanId());
    SpanData pull = spans.await("peer pull");
    assertThat(pull.getParentSpanId()).isEqualTo(root.getSpanId());
    assertThat(spans.await("peer get").getTraceId()).isEqualTo(root.getTraceId());
  }

  @Test
  void severalKeysOfARequest_areOneSpan() throws IOException {
    redis.get(KEYS.get(0).toString());
    redis.ask("MGET", KEYS.get(0), KEYS.get(1), KEYS.get(2));

    SpanData root = root("resp mget");
    requireChunks(root, 3, 1, 2);
    assertThat(root.getTraceId()).isNotEqualTo(spans.await("resp get").getTraceId());
    assertThat(spans.ended())
        .filteredOn(span -> span.getName().equals("peer pull"))
        .extracting(SpanData::getParentSpanId)
        .filteredOn(parent -> parent.equals(root.getSpanId()))
        .hasSize(2);
  }

  @Test
  void exists_tellsNoOutcome() throws IOException {
    assertThat(redis.ask("EXISTS", KEYS.get(0))).isEqualTo(":1");

    SpanData root = root("resp exists");
    requireChunks(root, 1, 0, 1);
    assertThat(attribute(root, Traces.OUTCOME)).isNull();
    assertThat(askedWithin).containsExactly(root.getSpanId());
  }

  @Test
  void requestsOfLmCachesConnector_areSpannedToo() throws IOException {
    assertThat(lm.exists(KEYS.get(0).toString())).isTrue();
    lm.get(KEYS.get(0).toString());

    requireChunks(root("lm exist"), 1, 0, 1);
    SpanData root = root("lm get");
    requireChunks(root, 1, 0, 1);
    assertThat(attribute(root, Traces.OUTCOME)).isEqualTo("hit");
    assertThat(spans.await("peer pull").getParentSpanId()).isEqualTo(root.getSpanId());
  }

  @Test
  void whatAsksNobody_hasNoSpan() throws IOException {
    redis.ask("PING");
    lm.isHealthy();
    redis.ask("SET", KEYS.get(0), RespFixture.body(DoorFixture.PAGE, 1));

    assertThat(spans.ended()).isEmpty();
  }
}

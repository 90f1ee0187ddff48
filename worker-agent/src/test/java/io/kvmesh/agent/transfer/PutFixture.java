package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.handshake.KvmeshInitRequest;
import io.kvmesh.common.wire.handshake.KvmeshInitResponse;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An agent to which another pushes chunks, by hand. */
abstract class PutFixture {

  static final long FULL = TestAgent.TOKENS;
  static final List<ChunkKey> KEYS = TestAgent.keys(1, 6);

  TestAgent target;
  TestAgent sender;
  RawClient init;
  RawClient lookup;

  @BeforeEach
  void start() throws IOException {
    use(TestAgent.named("target"));
  }

  final void use(TestAgentBuilder builder) throws IOException {
    target = builder.start();
    sender = TestAgent.named("sender").start();
    init = RawClient.dealer(target.address());
    lookup = RawClient.dealer(target.server.lookupAddress());
  }

  void useInstead(TestAgentBuilder builder) throws IOException {
    stop();
    use(builder);
  }

  @AfterEach
  void stop() {
    init.close();
    lookup.close();
    sender.close();
    target.close();
  }

  void introduce(String address, long epoch) {
    KvmeshInitRequest request =
        new KvmeshInitRequest(
            1, address, "s", 0, epoch, 4096, TestAgent.TOKENS, List.of(Channels.ZMQ));
    assertThat(init.ask(KvmeshInitResponse.class, request).refusal()).isNull();
  }

  void introduceSender() {
    introduce(sender.address(), 100);
  }

  static BatchedLookupAndPutMsg put(
      String from,
      List<ChunkKey> keys,
      long lastTokens,
      @Nullable Long epoch,
      @Nullable Long move) {
    List<Long> tokens = new ArrayList<>(Collections.nCopies(keys.size(), FULL));
    tokens.set(keys.size() - 1, lastTokens);
    List<String> texts = keys.stream().map(ChunkKey::toString).toList();
    return new BatchedLookupAndPutMsg(
        from, texts, tokens, List.of(), epoch, epoch == null ? null : 100L, move, null);
  }

  BatchedLookupAndPutMsg put(List<ChunkKey> keys) {
    return put(sender.address(), keys, FULL, 100L, null);
  }

  BatchedLookupAndPutMsg putOfMove(List<ChunkKey> keys, long move) {
    return put(sender.address(), keys, FULL, 100L, move);
  }

  BatchedLookupAndPutMsg foreignPut(List<ChunkKey> keys) {
    return put(sender.address(), keys, FULL, null, null);
  }

  BatchedLookupAndPutRetMsg ask(BatchedLookupAndPutMsg put) {
    return lookup.ask(BatchedLookupAndPutRetMsg.class, put);
  }

  List<PutOutcome> outcomes(BatchedLookupAndPutMsg put) {
    List<PutOutcome> outcomes = ask(put).outcomes();
    assertThat(outcomes).isNotNull();
    return outcomes == null ? List.of() : outcomes;
  }

  void requireSettled() {
    target.requireSettled();
    sender.requireSettled();
  }
}

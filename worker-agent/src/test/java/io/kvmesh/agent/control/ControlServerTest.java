package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.PackOutcome;
import io.kvmesh.common.wire.peer.BatchedGetDoneMsg;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlServerTest extends ControlFixture {

  @Test
  void clear_dropsWhatNobodyHoldsAndTellsHowMuch() {
    agent.store(TestAgent.keys(1, 5));
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(1, 1))) {
      assertThat(held.size()).isEqualTo(1);

      assertThat(client.ask(ClearWorkerRetMsg.class, new ClearWorkerMsg("e", "LocalCPUBackend")))
          .isEqualTo(new ClearWorkerRetMsg(4L * TestAgent.TOKENS, 100L, 9L, 4L));
    }
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(1);
  }

  @Test
  void clear_ofALocationThatIsNotHere_isAnError() {
    agent.store(TestAgent.keys(1, 5));
    ErrorMsg error = client.ask(ErrorMsg.class, new ClearWorkerMsg("e", "LocalDiskBackend"));
    assertThat(error.error()).contains("LocalDiskBackend");
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(5);
  }

  @Test
  void health_isBadOnceFenced() {
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
    agent.fenced.set(true);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode())
        .isEqualTo(-1);
  }

  @Test
  void compress_withoutMemoryForIt_isRefusedWithTheReason() {
    ControlRequest compress = new CompressWorkerMsg("e", "zstd", LOCATION, List.of(1L));
    ErrorMsg refusal = client.ask(ErrorMsg.class, compress);
    assertThat(refusal.code()).isEqualTo("unsupported");
    assertThat(refusal.error()).contains("kvmesh.cache.compressed-bytes is 0");
    assertThat(counters.get(ControlCount.UNSUPPORTED)).isEqualTo(1);
  }

  @Test
  void compress_makesAllShorter_andPeersGetWhatWasStored() throws Exception {
    stop();
    start(TestAgent.named("me").pages(8, 16_384).packedBytes(64 * 4096));
    agent.store(TestAgent.keys(1, 6));
    try (ChunkLease held = agent.cache.leasePrefix(TestAgent.keys(1, 1))) {
      assertThat(held.size()).isEqualTo(1);
      CompressWorkerRetMsg receipt =
          client.ask(
              CompressWorkerRetMsg.class, new CompressWorkerMsg("e", "zstd", LOCATION, null));
      assertThat(receipt.numTokens()).isEqualTo(5L * TestAgent.TOKENS);
      assertThat(receipt.numChunks()).isEqualTo(5);
      assertThat(receipt.bytesBefore()).isEqualTo(5 * 16_384);
      assertThat(receipt.bytesAfter()).isBetween(1L, 5 * 1000L);
      assertThat(receipt.outcomes())
          .isEqualTo(Map.of(PackOutcome.COMPRESSED, 5, PackOutcome.IN_USE, 1));
    }
    assertThat(agent.cache.stats().freePages()).isEqualTo(7);
    try (TestAgent peer = TestAgent.named("peer").pages(8, 16_384).start()) {
      assertThat(peer.pull(agent.address(), TestAgent.keys(1, 3), Duration.ofSeconds(10)))
          .isEqualTo(new PullOutcome.Hit(3));
      peer.requireSettled();
    }
    agent.requireSettled();
    assertThat(agent.cache.stats().packed().chunks()).isEqualTo(5);

    List<String> keys = texts(TestAgent.keys(4, 2));
    DecompressWorkerRetMsg back =
        client.ask(
            DecompressWorkerRetMsg.class,
            new DecompressWorkerMsg("e", "zstd", LOCATION, null, keys));
    assertThat(back.outcomes()).isEqualTo(Map.of(PackOutcome.DECOMPRESSED, 2));
    assertThat(back.bytesAfter()).isEqualTo(2 * 16_384);
    assertThat(agent.resident(TestAgent.keys(1, 6))).isEqualTo(6);
    agent.requireSettled();
  }

  @Test
  void compress_byAMethodThatIsNotThere_namesThoseThatAre() throws Exception {
    stop();
    start(TestAgent.named("me").packedBytes(4096));
    ErrorMsg refusal =
        client.ask(ErrorMsg.class, new CompressWorkerMsg("e", "cachegen", LOCATION, null));
    assertThat(refusal.code()).isEqualTo("bad_request");
    assertThat(refusal.error()).contains("'cachegen'").contains("[zstd, lz4]");
  }

  @Test
  void garbage_isAnErrorAndTheDoorStaysOpen() {
    byte[] foreign = new MessageCodec().encode(new BatchedGetDoneMsg(1));
    for (byte[] garbage : List.of(new byte[] {(byte) 0xc1}, new byte[] {1}, new byte[0], foreign)) {
      client.tellRaw(garbage);
      assertThat(client.answer(ErrorMsg.class).message().code()).isEqualTo("bad_request");
    }
    assertThat(server.refusedFrames().count()).isEqualTo(4);
    assertThat(client.ask(HealthWorkerRetMsg.class, new HealthWorkerMsg("e")).errorCode()).isZero();
  }
}

package io.kvmesh.controller.vllm;

import static org.awaitility.Awaitility.await;

import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.common.wire.codec.KvEventCodec;
import io.kvmesh.common.wire.codec.KvEventFrames;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.vllm.BlockHash;
import io.kvmesh.common.wire.vllm.BlockRemoved;
import io.kvmesh.common.wire.vllm.BlockStored;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Publishes events and gives them again, as vLLM does. */
final class FakeEngine implements AutoCloseable {

  static final int BLOCK_TOKENS = 4;

  private final KvEventCodec codec = new KvEventCodec();
  private final SocketLoop loop;
  private final ZmqSocket pub;
  private final ZmqSocket router;
  private final byte[] topic;

  // The loop's thread alone.
  private final Deque<Numbered> buffer = new ArrayDeque<>();
  private long next;

  private FakeEngine(ZmqSockets sockets, String topic, int pubPort, int replayPort) {
    this.topic = topic.getBytes(StandardCharsets.UTF_8);
    loop = new SocketLoop("fake-engine", sockets, 10_000);
    loop.start();
    // First the one that is asked as soon as the other is found: a life that is over takes no more.
    router = bind(SocketKind.ROUTER, replayPort, (from, request) -> replay(request));
    pub = bind(SocketKind.XPUB, pubPort, (from, subscription) -> {});
  }

  /** The library closes a former socket of the port behind its caller's back. */
  private ZmqSocket bind(SocketKind kind, int port, MessageHandler handler) {
    String endpoint = "tcp://127.0.0.1:" + port;
    return await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> loop.bind(kind, endpoint, SocketSettings.DEFAULT, handler), Objects::nonNull);
  }

  static FakeEngine start(ZmqSockets sockets, String topic) {
    try {
      // Ports that no other test takes while the engine is restarted.
      return new FakeEngine(sockets, topic, LoopbackPorts.free(), LoopbackPorts.free());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Another life at the same ports. */
  FakeEngine restart(ZmqSockets sockets) {
    close();
    return new FakeEngine(
        sockets, new String(topic, StandardCharsets.UTF_8), pub.port(), router.port());
  }

  String endpoint() {
    return "tcp://127.0.0.1:" + pub.port();
  }

  String replayEndpoint() {
    return "tcp://127.0.0.1:" + router.port();
  }

  private void replay(Multipart request) {
    List<Frame> frames = request.frames();
    long first = ByteBuffer.wrap(frames.getLast().toArray()).getLong();
    List<Numbered> answers = new ArrayList<>(buffer);
    answers.removeIf(batch -> batch.sequence() < first);
    answers.add(new Numbered(KvEventFrames.END, new byte[0]));
    for (Numbered answer : answers) {
      List<Frame> reply = new ArrayList<>(List.of(frames.getFirst()));
      KvEventFrames.replayAnswer(answer).stream().map(Frame::of).forEach(reply::add);
      router.send(reply);
    }
  }

  /** Publishes a batch. */
  void publish(KvEvent.Style style, KvEvent... events) {
    add(codec.encode(new KvEventBatch(next, Arrays.asList(events), 0), style), true);
  }

  void publish(KvEvent... events) {
    publish(KvEvent.Style.MAP, events);
  }

  /** Publishes bytes under the next number. */
  void publish(byte[] payload) {
    add(payload, true);
  }

  /** Publishes frames as they are. */
  void publishFrames(byte[]... frames) {
    loop.execute(() -> pub.send(Stream.of(frames).map(Frame::of).toList()));
  }

  /** Publishes a batch that nobody gets. */
  void lose(KvEvent... events) {
    var batch = new KvEventBatch(next, Arrays.asList(events), 0);
    add(codec.encode(batch, KvEvent.Style.ARRAY), false);
  }

  private void add(byte[] payload, boolean published) {
    loop.execute(
        () -> {
          Numbered batch = new Numbered(next++, payload);
          buffer.add(batch);
          if (published) {
            pub.send(KvEventFrames.publication(topic, batch).stream().map(Frame::of).toList());
          }
        });
  }

  /** Loses a batch for good: neither it nor what was published before can be given again. */
  void loseForGood() {
    loop.execute(
        () -> {
          next++;
          buffer.clear();
        });
  }

  static BlockStored stored(long... hashes) {
    return stored("GPU", BLOCK_TOKENS, null, null, hashes);
  }

  static BlockStored stored(
      @Nullable String medium,
      int blockTokens,
      @Nullable Integer group,
      @Nullable String kind,
      long... hashes) {
    List<BlockHash> blocks = LongStream.of(hashes).mapToObj(BlockHash::of).toList();
    List<Long> tokens = LongStream.range(0, (long) hashes.length * blockTokens).boxed().toList();
    return new BlockStored(
        blocks, null, tokens, blockTokens, null, medium, null, null, group, kind, null);
  }

  static BlockRemoved removed(long... hashes) {
    return new BlockRemoved(LongStream.of(hashes).mapToObj(BlockHash::of).toList(), "GPU", null);
  }

  @Override
  public void close() {
    loop.close();
  }
}

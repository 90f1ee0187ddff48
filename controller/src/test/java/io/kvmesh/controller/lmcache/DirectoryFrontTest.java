package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.BatchedKVOperationMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.common.wire.directory.LookupMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.common.wire.directory.RegisterRetMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.lookup.Barrier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DirectoryFrontTest {

  private static final WorkerId A = new WorkerId("A", 0);
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final int MAX_FRAME_BYTES = 64 << 10;

  private RunningFront front;

  @BeforeEach
  void start() throws IOException {
    front =
        RunningFront.start(SocketSettings.DEFAULT.withMessages(1000, MAX_FRAME_BYTES, 64), 10, 2);
    front.index.admit(A, CPU, keyspace(), 1, 2);
    front.registry.put(live(A, 1, agent("url-A")));
  }

  @AfterEach
  void close() {
    front.close();
  }

  @Test
  void everyEnvelope_isAnsweredInTheSameOne() throws Exception {
    byte[] question = front.codec.encode(lookup());
    Frame id = Frame.of(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER);
        ZmqSocket req = front.connectReply(SocketKind.REQ)) {
      dealer.send(List.of(Frame.EMPTY, Frame.of(question)));
      assertHit(receive(dealer), 2);

      dealer.send(List.of(Frame.of(question)));
      assertHit(receive(dealer), 1);

      dealer.send(List.of(id, Frame.EMPTY, Frame.of(question)));
      Multipart numbered = receive(dealer);
      assertHit(numbered, 3);
      assertThat(numbered.frames().getFirst().toArray()).isEqualTo(id.toArray());

      req.send(question);
      assertHit(receive(req), 1);

      dealer.send(List.of(Frame.EMPTY, Frame.of(question), Frame.of(new byte[] {9})));
      assertHit(receive(dealer), 2);
    }
  }

  @Test
  void noPayload_isAnsweredWithAnErrorAndCounted() throws Exception {
    byte[] question = front.codec.encode(lookup());
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER);
        ZmqSocket req = front.connectReply(SocketKind.REQ)) {
      for (List<Frame> message :
          List.of(
              List.of(Frame.EMPTY, Frame.EMPTY),
              List.of(Frame.EMPTY),
              List.of(Frame.of(question), Frame.EMPTY))) {
        dealer.send(message);
        assertError(receive(dealer), message.size());
      }
      dealer.send(List.of(Frame.EMPTY, Frame.EMPTY, Frame.of(question)));
      assertHit(receive(dealer), 3);
      assertAlive(dealer);

      req.send(new byte[0]);
      assertError(receive(req), 1);
      req.send(question);
      assertHit(receive(req), 1);
    }
    assertThat(front.counts.garbages(FrontCounts.Door.REPLY)).isEqualTo(4);
  }

  @Test
  void garbage_isAnsweredWithAnErrorAndCounted() throws Exception {
    Random random = new Random(11);
    byte[] valid = front.codec.encode(lookup());
    byte[] trailing = java.util.Arrays.copyOf(valid, valid.length + 1);
    byte[] bytes = new byte[100];
    random.nextBytes(bytes);
    bytes[0] = (byte) 0xc1;
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
      for (byte[] bad : List.of(bytes, trailing, "{".getBytes(StandardCharsets.UTF_8))) {
        dealer.send(List.of(Frame.EMPTY, Frame.of(bad)));
        assertThat(reply(receive(dealer)))
            .isInstanceOfSatisfying(
                ErrorMsg.class, error -> assertThat(error.code()).isEqualTo(ErrorMsg.BAD_REQUEST));
      }
      assertAlive(dealer);
    }
    assertThat(front.counts.garbages(FrontCounts.Door.REPLY)).isEqualTo(3);
  }

  @Test
  void messageOfAnotherKind_isAnsweredAsLmcacheDoes() throws Exception {
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
      dealer.send(
          List.of(Frame.EMPTY, Frame.of(front.codec.encode(new LookupMsg("e", List.of(1L))))));

      assertThat(reply(receive(dealer)))
          .isEqualTo(new ErrorMsg("Unknown message type: LookupMsg", ErrorMsg.UNSUPPORTED));
    }
    assertThat(front.counts.unsupporteds(FrontCounts.Door.REPLY)).isEqualTo(1);
  }

  @Test
  void oversizedFrame_costsItsSenderTheConnectionAndNobodyElse() throws Exception {
    try (ZmqSocket bad = front.connectReply(SocketKind.DEALER);
        ZmqSocket good = front.connectReply(SocketKind.DEALER);
        ZmqSocket push = front.connectPull()) {
      assertAlive(good);
      bad.send(List.of(Frame.EMPTY, Frame.of(new byte[2 * MAX_FRAME_BYTES])));
      push.send(new byte[2 * MAX_FRAME_BYTES]);

      assertAlive(good);
      try (ZmqSocket another = front.connectPull()) {
        another.send(front.codec.encode(operations(A)));
        await().atMost(WAIT).until(() -> front.counts.messages(FrontCounts.Door.PULL) == 1);
      }
    }
  }

  @Test
  void waitingRequests_holdUpNobodyAndAreBounded() throws Exception {
    byte[] question = front.codec.encode(new AppliedMsg("A", 0, 1, 5, 4000));
    try (ZmqSocket waiting = front.connectReply(SocketKind.DEALER);
        ZmqSocket other = front.connectReply(SocketKind.DEALER)) {
      waiting.send(List.of(Frame.EMPTY, Frame.of(question)));
      waiting.send(List.of(Frame.EMPTY, Frame.of(question)));
      await().atMost(WAIT).until(() -> front.barriers.size() == 2);

      assertAlive(other);
      other.send(List.of(Frame.EMPTY, Frame.of(question)));
      assertThat(reply(receive(other))).isInstanceOf(ErrorMsg.class);
      assertThat(front.counts.losses(FrontCounts.Loss.OVERLOAD)).isEqualTo(1);

      front.barriers.forEach(
          answer -> answer.complete(new Barrier.Answer(Barrier.Outcome.APPLIED, 1, 5)));
      assertThat(reply(receive(waiting))).isEqualTo(new AppliedRetMsg(true, 1, 5));
      assertThat(reply(receive(waiting))).isEqualTo(new AppliedRetMsg(true, 1, 5));
    }
  }

  @Test
  void askerThatLeft_isACountedOutcome() throws Exception {
    try (ZmqSockets ofTheAsker = new ZmqSockets();
        ZmqSocket waiting = ofTheAsker.connect(SocketKind.DEALER, front.replyAddress())) {
      waiting.send(
          List.of(Frame.EMPTY, Frame.of(front.codec.encode(new AppliedMsg("A", 0, 1, 5, 4000)))));
      await().atMost(WAIT).until(() -> front.barriers.size() == 1);
    }
    // Its connection is closed now; what the front answers later, it does after it has seen that.
    try (ZmqSocket other = front.connectReply(SocketKind.DEALER)) {
      assertAlive(other);
      assertAlive(other);
    }
    front.barriers.getFirst().complete(new Barrier.Answer(Barrier.Outcome.APPLIED, 1, 5));

    await().atMost(WAIT).until(() -> front.counts.losses(FrontCounts.Loss.NO_ROUTE) == 1);
  }

  @Test
  void registration_isAnsweredAfterTheLogHasIt() throws Exception {
    front.log.acknowledgeByHand();
    try (ZmqSocket req = front.connectReply(SocketKind.REQ)) {
      req.send(front.codec.encode(new RegisterMsg("F", 0, "127.0.0.1", 2, "url")));
      await().atMost(WAIT).until(() -> front.log.events().size() == 1);
      front.log.appended().getFirst().offset().complete(3L);

      assertThat(reply(receive(req))).isInstanceOf(RegisterRetMsg.class);
    }
  }

  @Test
  void pull_everyFrameIsAMessageAndABadOneSpoilsNone() throws Exception {
    WorkerId worker = new WorkerId("F", 0);
    front.registry.put(live(worker, 1, foreign("url")));
    Frame good = Frame.of(front.codec.encode(operations(worker)));
    Frame nonsense = Frame.of(front.codec.encode(operations("a/b", 0)));
    byte[] twice = new byte[2 * good.size()];
    System.arraycopy(good.toArray(), 0, twice, 0, good.size());
    System.arraycopy(good.toArray(), 0, twice, good.size(), good.size());
    try (ZmqSocket push = front.connectPull()) {
      push.send(
          List.of(good, Frame.of(new byte[] {1}), Frame.EMPTY, Frame.of(twice), nonsense, good));
      push.send(good.toArray());

      await().atMost(WAIT).until(() -> front.log.events().size() == 3);
    }
    assertThat(front.counts.garbages(FrontCounts.Door.PULL)).isEqualTo(4);
  }

  @Test
  void json_onBothSockets_isTheSameMessageAndCounted() throws Exception {
    WorkerId worker = new WorkerId("F", 0);
    front.registry.put(live(worker, 1, foreign("url")));
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER);
        ZmqSocket push = front.connectPull()) {
      dealer.send(
          List.of(
              Frame.EMPTY,
              json(
                  "{'hashes':[1,2],'type':'BatchedP2PLookupMsg','instance_id':'B','worker_id':0,"
                      + "'keyspace':'%s'}".formatted(keyspace()))));
      assertHit(receive(dealer), 2);

      push.send(
          List.of(
              json(
                  "{'type':'BatchedKVOperationMsg','instance_id':'F','worker_id':0,'location':'%s',"
                          .formatted(CPU)
                      + "'operations':[{'op_type':'admit','key':1,'seq_num':0}]}"),
              Frame.of(front.codec.encode(operations(worker)))));
      await().atMost(WAIT).until(() -> front.log.events().size() == 2);
    }
    assertThat(front.log.events().get(0)).isEqualTo(front.log.events().get(1));
    for (FrontCounts.Door door : List.of(FrontCounts.Door.PULL, FrontCounts.Door.REPLY)) {
      assertThat(front.counts.jsons(door)).as("%s", door).isEqualTo(1);
      assertThat(front.counts.garbages(door)).as("%s", door).isZero();
    }
  }

  @Test
  void heartbeatSocket_takesHeartbeatsInEitherFormAndNothingElse() throws Exception {
    front.registry.put(live(new WorkerId("F", 0), 1, foreign("url")));
    byte[] heartbeat = front.codec.encode(new HeartbeatMsg("F", 0, "127.0.0.1", 1, "url"));
    try (ZmqSocket dealer = front.connectHeartbeat()) {
      dealer.send(List.of(Frame.EMPTY, Frame.of(heartbeat)));
      assertThat(reply(receive(dealer))).isEqualTo(new HeartbeatRetMsg(List.of()));
      dealer.send(
          List.of(
              json(
                  "{'type':'HeartbeatMsg','instance_id':'F','worker_id':0,'ip':'127.0.0.1',"
                      + "'port':1,'peer_init_url':null}")));
      assertThat(reply(receive(dealer))).isEqualTo(new HeartbeatRetMsg(List.of()));

      dealer.send(List.of(Frame.EMPTY, Frame.of(front.codec.encode(lookup()))));
      assertThat(reply(receive(dealer)))
          .isEqualTo(
              new ErrorMsg("Expected HeartbeatMsg, got BatchedP2PLookupMsg", ErrorMsg.UNSUPPORTED));
      dealer.send(List.of(Frame.EMPTY, Frame.of(new byte[] {(byte) 0xc1})));
      assertThat(reply(receive(dealer))).isInstanceOf(ErrorMsg.class);
    }
    assertThat(front.counts.messages(FrontCounts.Door.HEARTBEAT)).isEqualTo(3);
    assertThat(front.counts.unsupporteds(FrontCounts.Door.HEARTBEAT)).isEqualTo(1);
    assertThat(front.counts.garbages(FrontCounts.Door.HEARTBEAT)).isEqualTo(1);
  }

  @Test
  void json_thatIsNoMessage_isAnsweredWithFieldAndRule() throws Exception {
    try (ZmqSocket dealer = front.connectReply(SocketKind.DEALER)) {
      dealer.send(
          List.of(
              Frame.EMPTY,
              json(
                  "{'type':'BatchedP2PLookupMsg','hashes':[1.5],'instance_id':'B','worker_id':0}")));
      assertThat(reply(receive(dealer)))
          .isInstanceOfSatisfying(
              ErrorMsg.class,
              error -> {
                assertThat(error.error())
                    .startsWith("Expected `int`, got `float` - at `$.hashes[0]`");
                assertThat(error.code()).isEqualTo(ErrorMsg.BAD_REQUEST);
              });
      assertAlive(dealer);
    }
    assertThat(front.counts.garbages(FrontCounts.Door.REPLY)).isEqualTo(1);
    assertThat(front.counts.jsons(FrontCounts.Door.REPLY)).isZero();
  }

  private static Frame json(String text) {
    return Frame.of(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private static BatchedP2PLookupMsg lookup() {
    return new BatchedP2PLookupMsg(
        List.of(ChunkHash.ofSigned(1), ChunkHash.ofSigned(2)), "B", 0, keyspace().toString());
  }

  private static BatchedKVOperationMsg operations(WorkerId worker) {
    return operations(worker.instanceId(), worker.rank());
  }

  private static BatchedKVOperationMsg operations(String instanceId, int rank) {
    return new BatchedKVOperationMsg(
        instanceId, rank, CPU, List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(1), 0)));
  }

  private void assertAlive(ZmqSocket dealer) throws Exception {
    dealer.send(List.of(Frame.EMPTY, Frame.of(front.codec.encode(lookup()))));
    assertHit(receive(dealer), 2);
  }

  private void assertHit(Multipart answer, int frames) throws Exception {
    assertThat(answer.frames()).hasSize(frames);
    assertThat(reply(answer))
        .isEqualTo(
            new BatchedP2PLookupRetMsg(List.of(new PeerLayout("A", CPU, 2, "url-A")), List.of(1L)));
  }

  private void assertError(Multipart answer, int frames) throws Exception {
    assertThat(answer.frames()).hasSize(frames);
    assertThat(reply(answer))
        .isInstanceOfSatisfying(
            ErrorMsg.class, error -> assertThat(error.code()).isEqualTo(ErrorMsg.BAD_REQUEST));
  }

  private static Multipart receive(ZmqSocket socket) {
    Multipart answer = socket.receive(WAIT);
    assertThat(answer).as("an answer within %s", WAIT).isNotNull();
    return answer;
  }

  private Message reply(Multipart answer) throws Exception {
    return front.codec.decode(DirectoryReply.class, answer.frames().getLast().toArray());
  }
}

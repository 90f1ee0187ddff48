package io.kvmesh.common.client;

import io.kvmesh.common.client.EngineClientException.Reason;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineAbortMsg;
import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineHandOverMsg;
import io.kvmesh.common.wire.engine.EngineHandOverRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePinRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.EngineTouchMsg;
import io.kvmesh.common.wire.engine.EngineTouchRetMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.EngineUnpinRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One session at the native door of an agent: what an engine can do there, from afar. Any thread;
 * each call waits for its answer, at most its deadline, and may be interrupted. What an answer that
 * came too late left with the agent is taken back.
 *
 * <p>A session without {@link SharedPages} ends with its connection: from then on the agent answers
 * {@code UNKNOWN_SESSION}, and a new client is needed.
 */
public final class EngineClient implements AutoCloseable {

  private static final int FORMAT = 1;
  private static final Duration CLOSE = Duration.ofMillis(500);

  private final EngineClientSettings settings;
  private final EngineConnection connection;
  private final LateAnswers late = new LateAnswers(this::id);
  private volatile @Nullable OpenSessionRetMsg session;
  private volatile @Nullable SharedPages shared;

  private EngineClient(ZmqSockets sockets, EngineClientSettings settings) {
    this.settings = settings;
    this.connection = new EngineConnection(sockets, settings, late::undo, this::cancel);
  }

  /** Opens a session. The sockets are the caller's, and may be those of other clients too. */
  public static EngineClient open(ZmqSockets sockets, EngineClientSettings settings)
      throws EngineClientException, InterruptedException {
    EngineClient client = new EngineClient(sockets, settings);
    try {
      client.connection.start(settings);
    } catch (IOException e) {
      throw new EngineClientException(Reason.CONNECTION_LOST, settings.agent(), e);
    }
    try {
      client.session =
          client.ask(OpenSessionRetMsg.class, new OpenSessionMsg(FORMAT, settings.client()));
      return client;
    } catch (EngineClientException | InterruptedException | RuntimeException e) {
      client.connection.close();
      throw e;
    }
  }

  private OpenSessionRetMsg session() {
    OpenSessionRetMsg opened = session;
    if (opened == null) {
      throw new IllegalStateException("There is no session yet");
    }
    return opened;
  }

  /** Its id at the agent. */
  long id() {
    return session().sessionId();
  }

  /**
   * Releases and cancels that were never said, since too many waited for an agent that took none.
   * The agent frees what they would have freed when the lease runs out or the session ends.
   */
  public long untold() {
    return connection.untold();
  }

  /**
   * Messages from the agent's side that answer no request, since their envelope can't be read: if
   * there are any, something else than an agent is at that address.
   */
  public long unreadable() {
    return connection.unreadable();
  }

  /** Bytes of a full chunk. */
  public long pageBytes() {
    return session().pageBytes();
  }

  /** Tokens of a full chunk. */
  public int chunkTokens() {
    return session().chunkTokens();
  }

  /**
   * How long a prefix is there, here and then at one other agent. Isn't a use.
   *
   * @param hold whether the local part is held until the answer is closed
   */
  public LookedUp lookup(List<ChunkKey> keys, boolean hold)
      throws EngineClientException, InterruptedException {
    return lookup(keys, hold, null);
  }

  /**
   * As above.
   *
   * @param traceparent the caller's span, as W3C writes it; null = none
   */
  public LookedUp lookup(List<ChunkKey> keys, boolean hold, @Nullable String traceparent)
      throws EngineClientException, InterruptedException {
    EngineLookupMsg request = new EngineLookupMsg(id(), texts(keys), hold, traceparent);
    EngineLookupRetMsg found = ask(EngineLookupRetMsg.class, request);
    return new LookedUp(found.numLocal(), found.numFleet(), held(found.leaseId()));
  }

  /** The longest prefix, with its bodies, held by a new lease. */
  public RetrievedChunks retrieve(List<ChunkKey> keys, Duration deadline)
      throws EngineClientException, InterruptedException {
    return retrieve(keys, deadline, (String) null);
  }

  /**
   * As above.
   *
   * @param traceparent the caller's span, as W3C writes it; null = none
   */
  public RetrievedChunks retrieve(
      List<ChunkKey> keys, Duration deadline, @Nullable String traceparent)
      throws EngineClientException, InterruptedException {
    EngineLease none = new EngineLease(this, 0);
    return retrieve(keys, none, agentMillis(deadline), deadline, traceparent);
  }

  /**
   * As the first, with more time for the answer than for other agents.
   *
   * @param deadline for what other agents have, at least 1 ms
   * @param atMost until the answer is here
   */
  public RetrievedChunks retrieve(List<ChunkKey> keys, Duration deadline, Duration atMost)
      throws EngineClientException, InterruptedException {
    return retrieve(keys, new EngineLease(this, 0), deadline, atMost);
  }

  /**
   * As above, held by a lease that is there already.
   *
   * @param into its lease, if it has any; belongs to the answer, whose end is its end, unless this
   *     fails
   */
  public RetrievedChunks retrieve(
      List<ChunkKey> keys, EngineLease into, Duration deadline, Duration atMost)
      throws EngineClientException, InterruptedException {
    return retrieve(keys, into, Math.max(1, deadline.toMillis()), atMost, null);
  }

  private RetrievedChunks retrieve(
      List<ChunkKey> keys,
      EngineLease into,
      long deadlineMillis,
      Duration atMost,
      @Nullable String traceparent)
      throws EngineClientException, InterruptedException {
    EngineRetrieveMsg request =
        new EngineRetrieveMsg(id(), into.id(), texts(keys), deadlineMillis, traceparent);
    EngineConnection.Answer answer = connection.ask(request, List.of(), atMost);
    EngineRetrieveRetMsg reply = require(EngineRetrieveRetMsg.class, answer);
    EngineLease lease = reply.leaseId() == into.id() ? into : held(reply.leaseId());
    if (answer.bodies().size() != reply.numLocal() + reply.numPeer()) {
      answer.release();
      if (lease != into) {
        lease.close();
      }
      throw broken(
          "%d + %d chunks came with %d bodies"
              .formatted(reply.numLocal(), reply.numPeer(), answer.bodies().size()));
    }
    return new RetrievedChunks(reply, answer, lease);
  }

  /** A lease that an answer told of; it is the caller's to close. */
  EngineLease held(long leaseId) {
    late.held(leaseId);
    return new EngineLease(this, leaseId);
  }

  /** A little less, so that its answer is here in time. */
  static long agentMillis(Duration deadline) {
    return Math.max(1, deadline.toMillis() - deadline.toMillis() / 8);
  }

  /** Keeps chunks; what became of each. */
  public StoredChunks store(List<EngineBody> chunks, Duration atMost)
      throws EngineClientException, InterruptedException {
    return store(chunks, 0, atMost);
  }

  /**
   * As above, and holds those that are resident afterwards.
   *
   * @param into a lease, which stays the caller's
   * @throws IllegalArgumentException if it is none, as that of a prefix that isn't there
   */
  public StoredChunks store(List<EngineBody> chunks, EngineLease into, Duration atMost)
      throws EngineClientException, InterruptedException {
    if (into.id() == 0) {
      throw new IllegalArgumentException("There is no lease that could hold what is stored");
    }
    return store(chunks, into.id(), atMost);
  }

  private StoredChunks store(List<EngineBody> chunks, long leaseId, Duration atMost)
      throws EngineClientException, InterruptedException {
    List<String> keys = chunks.stream().map(chunk -> chunk.key().toString()).toList();
    List<Integer> tokens = chunks.stream().map(EngineBody::tokens).toList();
    // A copy: a body may still be on its way when the time has passed.
    List<Frame> bodies =
        chunks.stream()
            .map(chunk -> Frame.of(chunk.body().toArray(ValueLayout.JAVA_BYTE)))
            .toList();
    EngineStoreMsg request = new EngineStoreMsg(id(), leaseId, keys, tokens, leaseId != 0);
    EngineConnection.Answer answer = connection.ask(request, bodies, atMost);
    return stored(require(EngineStoreRetMsg.class, answer), chunks.size());
  }

  StoredChunks stored(EngineStoreRetMsg reply, int chunks) throws EngineClientException {
    if (reply.outcomes().size() != chunks) {
      throw broken("%d chunks came with %d outcomes".formatted(chunks, reply.outcomes().size()));
    }
    return new StoredChunks(reply.outcomes(), reply.epoch(), reply.sequence());
  }

  /** Pins the longest prefix that is resident; what is pinned for the owner. */
  public EnginePinRetMsg pin(String owner, List<ChunkKey> keys)
      throws EngineClientException, InterruptedException {
    return ask(EnginePinRetMsg.class, new EnginePinMsg(id(), owner, texts(keys)));
  }

  /**
   * Takes off an owner's pins.
   *
   * @param keys of these chunks; none = of all
   * @return how many
   */
  public int unpin(String owner, List<ChunkKey> keys)
      throws EngineClientException, InterruptedException {
    return ask(EngineUnpinRetMsg.class, new EngineUnpinMsg(id(), owner, texts(keys)))
        .unpinnedChunks();
  }

  /**
   * Brings a prefix to the agent in the background, as far as some other agent has it.
   *
   * @param atMost in which it is to be over; zero = as long as the agent allows, which bounds it
   */
  public EnginePrefetch prefetch(List<ChunkKey> keys, Duration atMost)
      throws EngineClientException, InterruptedException {
    return prefetch(keys, atMost, null);
  }

  /**
   * As above.
   *
   * @param traceparent the caller's span, as W3C writes it; null = none
   */
  public EnginePrefetch prefetch(List<ChunkKey> keys, Duration atMost, @Nullable String traceparent)
      throws EngineClientException, InterruptedException {
    EnginePrefetchMsg request =
        new EnginePrefetchMsg(id(), texts(keys), atMost.toMillis(), traceparent);
    return new EnginePrefetch(this, ask(EnginePrefetchRetMsg.class, request).prefetchId());
  }

  /**
   * Maps the agent's memory, whose pages are then read and written in place. Once. The session
   * lives until these pages are closed, which the end of this client does too.
   */
  public SharedPages sharePages() throws EngineClientException, InterruptedException {
    EngineHandOverRetMsg told = ask(EngineHandOverRetMsg.class, new EngineHandOverMsg(id()));
    SharedPages opened = SharedPages.open(this, told, settings.timeout());
    shared = opened;
    return opened;
  }

  int touch(long leaseId, int chunks) throws EngineClientException, InterruptedException {
    return ask(EngineTouchRetMsg.class, new EngineTouchMsg(id(), leaseId, chunks)).touchedChunks();
  }

  void release(long leaseId) {
    if (leaseId != 0) {
      late.closed(leaseId);
      connection.tell(new EngineReleaseMsg(id(), leaseId));
    }
  }

  void abort(long claimId) {
    if (claimId != 0) {
      connection.tell(new EngineAbortMsg(id(), claimId));
    }
  }

  private EngineRequest cancel(long requestId) {
    OpenSessionRetMsg opened = session;
    return new EngineCancelMsg(opened == null ? 0 : opened.sessionId(), requestId);
  }

  <T extends EngineReply> T ask(Class<T> type, EngineRequest request)
      throws EngineClientException, InterruptedException {
    return ask(type, request, settings.timeout());
  }

  <T extends EngineReply> T ask(Class<T> type, EngineRequest request, Duration atMost)
      throws EngineClientException, InterruptedException {
    return require(type, connection.ask(request, List.of(), atMost));
  }

  private <T extends EngineReply> T require(Class<T> type, EngineConnection.Answer answer)
      throws EngineClientException {
    if (type.isInstance(answer.reply())) {
      return type.cast(answer.reply());
    }
    answer.release();
    if (answer.reply() instanceof EngineErrorMsg error) {
      throw new EngineClientException(
          Reason.REFUSED,
          error.code(),
          "%s answers %s: %s".formatted(settings.agent(), error.code(), error.error()));
    }
    throw broken(
        "%s came in place of %s"
            .formatted(answer.reply().getClass().getSimpleName(), type.getSimpleName()));
  }

  EngineClientException broken(String what) {
    return new EngineClientException(Reason.BROKEN, settings.agent() + ": " + what);
  }

  EngineClientException unmappable(Exception cause) {
    return new EngineClientException(Reason.UNMAPPABLE, settings.agent(), cause);
  }

  static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }

  /** Ends the session, if the agent is still there, and the connection. Idempotent. */
  @Override
  public void close() {
    SharedPages pages = shared;
    if (pages != null) {
      // Before the agent has them again.
      pages.close();
    }
    try {
      ask(CloseSessionRetMsg.class, new CloseSessionMsg(id()), CLOSE);
    } catch (EngineClientException e) {
      // An agent that is gone has no session either.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      connection.close();
    }
  }
}

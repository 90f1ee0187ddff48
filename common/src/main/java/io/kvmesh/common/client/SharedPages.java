package io.kvmesh.common.client;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.ClaimOutcome;
import io.kvmesh.common.wire.engine.EngineClaimMsg;
import io.kvmesh.common.wire.engine.EngineClaimRetMsg;
import io.kvmesh.common.wire.engine.EngineHandOverRetMsg;
import io.kvmesh.common.wire.engine.EngineLeaseMsg;
import io.kvmesh.common.wire.engine.EngineLeaseRetMsg;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an agent on this host, mapped. Its session lives until this is closed, or the
 * process ends; what it has claimed and leased is the agent's again then. Any thread.
 */
public final class SharedPages implements AutoCloseable {

  private static final byte TIED = 1;
  private static final int UNIT_BYTES = 4096;
  private static final VarHandle GENERATION = ValueLayout.JAVA_INT.varHandle();

  private final EngineClient client;
  private final int maxChunks;
  private final SocketChannel lifeline;
  private final Arena mapping;
  private final MemorySegment bytes;
  private final MemorySegment generations;

  private SharedPages(
      EngineClient client,
      EngineHandOverRetMsg told,
      SocketChannel lifeline,
      Arena mapping,
      MemorySegment file) {
    this.client = client;
    this.maxChunks = told.maxChunks();
    this.lifeline = lifeline;
    this.mapping = mapping;
    this.bytes = file.asSlice(0, told.arenaBytes());
    this.generations = file.asSlice(told.generationsOffset());
  }

  @SuppressWarnings("MustBeClosedChecker") // close does
  static SharedPages open(EngineClient client, EngineHandOverRetMsg told, Duration atMost)
      throws EngineClientException {
    Arena mapping = Arena.ofShared();
    SocketChannel lifeline = null;
    try {
      // First the session is held: the file is then the one that belongs to it.
      lifeline = hold(client.id(), told.socket(), atMost);
      return new SharedPages(client, told, lifeline, mapping, map(told.arena(), mapping));
    } catch (IOException
        | InvalidPathException
        | IndexOutOfBoundsException
        | UnsupportedOperationException e) {
      mapping.close();
      closeQuietly(lifeline);
      throw client.unmappable(e);
    }
  }

  private static SocketChannel hold(long sessionId, String socket, Duration atMost)
      throws IOException {
    SocketChannel line = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    try (Selector answered = Selector.open()) {
      line.write(ByteBuffer.allocate(Long.BYTES).putLong(sessionId).flip());
      line.configureBlocking(false);
      line.register(answered, SelectionKey.OP_READ);
      ByteBuffer answer = ByteBuffer.allocate(1);
      answered.select(Math.max(1, atMost.toMillis()));
      if (line.read(answer) != 1 || answer.get(0) != TIED) {
        throw new IOException(
            "the agent doesn't tie session %d to %s".formatted(sessionId, socket));
      }
      return line;
    } catch (IOException e) {
      closeQuietly(line);
      throw e;
    }
  }

  private static MemorySegment map(String file, Arena mapping) throws IOException {
    try (FileChannel arena =
        FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return arena.map(FileChannel.MapMode.READ_WRITE, 0, arena.size(), mapping);
    }
  }

  /** How many chunks may be claimed and leased, one counting once for each lease. */
  public int maxChunks() {
    return maxChunks;
  }

  /** Asks for memory for chunks, which are then written and committed. */
  public ClaimedPages claim(List<EngineChunk> chunks, Duration deadline)
      throws EngineClientException, InterruptedException {
    EngineClaimMsg request =
        new EngineClaimMsg(
            client.id(),
            chunks.stream().map(chunk -> chunk.key().toString()).toList(),
            chunks.stream().map(EngineChunk::bytes).toList(),
            chunks.stream().map(EngineChunk::tokens).toList());
    EngineClaimRetMsg reply = client.ask(EngineClaimRetMsg.class, request, deadline);
    try {
      return new ClaimedPages(client, reply, pages(reply, chunks));
    } catch (IndexOutOfBoundsException e) {
      client.abort(reply.claimId());
      throw client.broken("a claim of what isn't there: " + e.getMessage());
    }
  }

  private List<MemorySegment> pages(EngineClaimRetMsg reply, List<EngineChunk> chunks) {
    int offsets = reply.offsets().size();
    if (reply.outcomes().size() != chunks.size() || offsets != chunks.size()) {
      throw new IndexOutOfBoundsException(
          "%d outcomes and %d offsets for %d chunks"
              .formatted(reply.outcomes().size(), offsets, chunks.size()));
    }
    List<MemorySegment> pages = new ArrayList<>(chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      boolean claimed = reply.outcomes().get(i) == ClaimOutcome.CLAIMED;
      pages.add(
          claimed
              ? bytes.asSlice(reply.offsets().get(i), chunks.get(i).bytes())
              : MemorySegment.NULL);
    }
    return pages;
  }

  /** The longest prefix, to be read in place. */
  public LeasedPages lease(List<ChunkKey> keys, Duration deadline)
      throws EngineClientException, InterruptedException {
    EngineLeaseMsg request =
        new EngineLeaseMsg(
            client.id(), 0, EngineClient.texts(keys), EngineClient.agentMillis(deadline));
    EngineLeaseRetMsg reply = client.ask(EngineLeaseRetMsg.class, request, deadline);
    EngineLease lease = client.held(reply.leaseId());
    try {
      return new LeasedPages(this, reply, lease);
    } catch (IndexOutOfBoundsException e) {
      lease.close();
      throw client.broken("a lease of what isn't there: " + e.getMessage());
    }
  }

  MemorySegment readable(long offset, int length) {
    return bytes.asSlice(offset, length).asReadOnly();
  }

  /** Read after all that was read before it. */
  int generation(long offset) {
    VarHandle.acquireFence();
    return (int) GENERATION.getAcquire(generations, offset / UNIT_BYTES * Integer.BYTES);
  }

  /**
   * Unmaps the memory, then lets go of the session. Whoever still reads or writes a page of it by
   * its segment gets an {@link IllegalStateException}. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (mapping.scope().isAlive()) {
      mapping.close();
    }
    closeQuietly(lifeline);
  }

  private static void closeQuietly(@Nullable SocketChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // It is closed all the same.
    }
  }
}

package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.EngineLeaseRetMsg;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The longest prefix, where it lies. Close it once it was read. Any thread. */
public final class LeasedPages implements AutoCloseable {

  private final SharedPages memory;
  private final EngineLeaseRetMsg reply;
  private final EngineLease lease;
  private final List<MemorySegment> pages = new ArrayList<>();

  LeasedPages(SharedPages memory, EngineLeaseRetMsg reply, EngineLease lease) {
    this.memory = memory;
    this.reply = reply;
    this.lease = lease;
    int chunks = reply.numLocal() + reply.numPeer();
    if (!Stream.of(reply.offsets(), reply.lengths(), reply.tokens(), reply.generations())
        .allMatch(list -> list.size() == chunks)) {
      throw new IndexOutOfBoundsException("%d chunks, and not as many places".formatted(chunks));
    }
    for (int i = 0; i < chunks; i++) {
      pages.add(memory.readable(reply.offsets().get(i), reply.lengths().get(i)));
    }
  }

  /** How many chunks. */
  public int size() {
    return pages.size();
  }

  /** How many of them the agent had itself. */
  public int local() {
    return reply.numLocal();
  }

  /** Why there are no more: one of the words that the protocol names. */
  public String peerOutcome() {
    return reply.peerOutcome();
  }

  /** Of the agent's life. */
  public long epoch() {
    return reply.epoch();
  }

  /** Of the agent's last event: a controller that has applied it knows of these chunks. */
  public long sequence() {
    return reply.sequence();
  }

  /** Tokens of a chunk. */
  public int tokens(int index) {
    return reply.tokens().get(index);
  }

  /** A chunk's bytes, which can't be written, until this is closed. */
  public MemorySegment page(int index) {
    return pages.get(index);
  }

  /**
   * Whether what was read until now was what the agent had leased: to be asked after the last use.
   * If not, the session had ended meanwhile, and what was read counts for nothing.
   */
  public boolean isUnchanged() {
    for (int i = 0; i < size(); i++) {
      if (memory.generation(reply.offsets().get(i)) != reply.generations().get(i)) {
        return false;
      }
    }
    return true;
  }

  /** The lease. */
  public EngineLease lease() {
    return lease;
  }

  /** Lets go of the chunks. Idempotent. */
  @Override
  public void close() {
    lease.close();
  }
}

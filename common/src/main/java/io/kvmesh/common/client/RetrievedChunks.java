package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import java.nio.ByteBuffer;
import java.util.List;

/** The longest prefix, as it was sent. Close it once its bodies were read. One thread. */
public final class RetrievedChunks implements AutoCloseable {

  private final EngineRetrieveRetMsg reply;
  private final EngineConnection.Answer answer;
  private final EngineLease lease;

  RetrievedChunks(EngineRetrieveRetMsg reply, EngineConnection.Answer answer, EngineLease lease) {
    this.reply = reply;
    this.answer = answer;
    this.lease = lease;
  }

  /** How many chunks. */
  public int size() {
    return answer.bodies().size();
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

  /** Read-only, and valid until this is closed. */
  public ByteBuffer body(int index) {
    return answer.bodies().get(index).buffer();
  }

  /** Of each chunk. */
  public List<Integer> lengths() {
    return reply.lengths();
  }

  /** Holds them, until this is closed. */
  public EngineLease lease() {
    return lease;
  }

  /** Gives the bodies back and lets go of the chunks. Idempotent. */
  @Override
  public void close() {
    answer.release();
    lease.close();
  }
}

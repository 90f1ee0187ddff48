package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.TcpConnection;
import io.kvmesh.agent.engine.tcp.TcpProtocol;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The Redis protocol, version 2. A key names a chunk, or one of the pair that LMCache's redis://
 * connector makes of a chunk. The replies of a connection come in the order of its requests, each
 * written before the next request is read: who sends many and reads no reply is stopped by the
 * socket, and no reply is kept for it.
 */
public final class RespProtocol implements TcpProtocol {

  private final RespSettings settings;
  private final ChunkDesk desk;
  private final HalfPairs pairs;
  private final RespChunks chunks;
  private final AtomicLong clients = new AtomicLong();

  /**
   * Assigns only.
   *
   * @param nanoTime clock of the halves of pairs
   */
  public RespProtocol(ChunkDesk desk, RespSettings settings, LongSupplier nanoTime) {
    this.desk = desk;
    this.settings = settings;
    this.pairs = new HalfPairs(desk, settings.pairs(), nanoTime);
    this.chunks = new RespChunks(desk, pairs);
  }

  @Override
  public Talk open(TcpConnection client) {
    return new RespTalk(client, clients.incrementAndGet(), settings, desk, chunks);
  }

  @Override
  public void tick() {
    pairs.expire();
  }

  @Override
  public void close() {
    pairs.close();
  }
}

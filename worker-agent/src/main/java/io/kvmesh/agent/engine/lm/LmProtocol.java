package io.kvmesh.agent.engine.lm;

import io.kvmesh.agent.cache.BodyForm;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.engine.tcp.BadRequestException;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorRequest;
import io.kvmesh.agent.engine.tcp.RemoteKeys;
import io.kvmesh.agent.engine.tcp.TcpConnection;
import io.kvmesh.agent.engine.tcp.TcpProtocol;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * LMCache's remote server. Requests on a connection are served one after the other. A put is never
 * answered, and one that is refused is read to its end and forgotten; nor is a list answered, which
 * is so at LMCache's own server. A command that isn't known ends the connection, since nobody knows
 * where the next request begins.
 */
public final class LmProtocol implements TcpProtocol {

  private final ChunkDesk desk;
  private final long maxBodyBytes;

  /**
   * @param maxBodyBytes who announces a longer body is cut off
   */
  public LmProtocol(ChunkDesk desk, long maxBodyBytes) {
    this.desk = desk;
    this.maxBodyBytes = maxBodyBytes;
  }

  /** It knows neither users nor deletions, and a body comes with what tells of it. */
  @Override
  public Set<DoorCount> never() {
    return Set.of(
        DoorCount.DELETE,
        DoorCount.DELETE_MISS,
        DoorCount.HALF_PAIR,
        DoorCount.HALF_PAIR_DROPPED,
        DoorCount.HALF_PAIR_EXPIRED,
        DoorCount.HALF_PAIR_MISFIT,
        DoorCount.AUTH,
        DoorCount.AUTH_REFUSED);
  }

  @Override
  public Talk open(TcpConnection client) {
    return () -> {
      serve(client);
      return true;
    };
  }

  private void serve(TcpConnection client) throws IOException, InterruptedException {
    LmRequest request = LmRequest.read(client.require(LmRequest.BYTES));
    ChunkKey key = RemoteKeys.of(request.key());
    switch (request.command()) {
      case PUT -> put(client, key, request);
      case GET -> get(client, key);
      case EXIST -> exist(client, key);
      case LIST -> desk.counters().count(DoorCount.OTHER);
      case HEALTH -> {
        desk.counters().count(DoorCount.OTHER);
        reply(client, LmReply.YES);
      }
    }
  }

  private void put(TcpConnection client, ChunkKey key, LmRequest request)
      throws IOException, InterruptedException {
    if (request.length() > maxBodyBytes) {
      throw new BadRequestException("a body of %d bytes".formatted(request.length()));
    }
    if (desk.claim(key, request.length(), request.form()) instanceof PendingChunk chunk) {
      fill(client, chunk);
    } else {
      client.discard(request.length());
    }
  }

  private void fill(TcpConnection client, PendingChunk chunk) throws IOException {
    boolean whole = false;
    try {
      client.readInto(chunk.body());
      whole = true;
    } finally {
      if (!whole) {
        desk.abort(chunk);
      }
    }
    desk.commit(chunk);
  }

  private void get(TcpConnection client, ChunkKey key) throws IOException, InterruptedException {
    try (DoorRequest request = desk.begin("lm get");
        ChunkLease lease = desk.get(key, request)) {
      Optional<BodyForm> form = lease.size() == 0 ? Optional.empty() : form(lease);
      if (form.isPresent()) {
        reply(client, LmReply.body(lease.bytes(0), form.get()));
        desk.counters().add(DoorCount.BYTE_OUT, lease.bytes(0));
        client.send(lease.body(0));
      } else {
        reply(client, LmReply.NO);
      }
    }
  }

  private void exist(TcpConnection client, ChunkKey key) throws IOException, InterruptedException {
    try (DoorRequest request = desk.begin("lm exist")) {
      reply(client, desk.exists(key, request) ? LmReply.YES : LmReply.NO);
    }
  }

  /** A reply tells of values of one type. */
  private Optional<BodyForm> form(ChunkLease lease) {
    return desk.form(lease, it -> it.groups().size() == 1);
  }

  private static void reply(TcpConnection client, LmReply reply) throws IOException {
    reply.write(client.room(LmReply.BYTES));
  }
}

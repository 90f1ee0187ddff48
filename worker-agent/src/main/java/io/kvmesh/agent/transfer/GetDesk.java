package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.CompressionMethod;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.PeerId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Answers requests for chunks, from the cache. Asking is not a use of a chunk. One thread. */
final class GetDesk {

  /** One reply to a peer that can't say done carries at most this, since it is copied. */
  private static final long MOST_COPIED_BYTES = 32L << 20;

  /**
   * What goes out.
   *
   * @param bodies the chunks' bytes, in order
   * @param loan to be ended if the reply can't be sent; 0 = none
   */
  record Answer(Message reply, List<Frame> bodies, long loan) {}

  private final LocalPeer self;
  private final ChunkCache cache;
  private final KnownPeers peers;
  private final Loans loans;
  private final Counters<ServerCount> counters;
  private final int mostChunks;
  private final int mostCopied;
  private final int overheadBytes;

  /**
   * @param mostBytes that one reply may carry
   * @param overheadBytes that will be added to each frame
   */
  GetDesk(
      LocalPeer self,
      ChunkCache cache,
      KnownPeers peers,
      Loans loans,
      Counters<ServerCount> counters,
      long mostBytes,
      int overheadBytes) {
    this.self = self;
    this.cache = cache;
    this.peers = peers;
    this.loans = loans;
    this.counters = counters;
    this.overheadBytes = overheadBytes;
    this.mostChunks = Math.clamp(mostBytes / self.pageBytes(), 1, Integer.MAX_VALUE);
    this.mostCopied = Math.clamp(MOST_COPIED_BYTES / self.pageBytes(), 1, mostChunks);
  }

  Answer answer(PeerId connection, BatchedLookupAndGetMsg request) {
    KnownPeers.Terms terms = peers.get(request.receiverId());
    String unknown = peers.whyUnknown(request.receiverId(), request.epoch(), request.peerEpoch());
    if (terms == null || unknown != null) {
      counters.count(ServerCount.NOT_INITIALIZED);
      return error(P2PErrorMsg.NOT_INITIALIZED, unknown);
    }
    List<ChunkKey> keys;
    try {
      keys = parse(request.keys(), terms.saysDone() ? mostChunks : mostCopied);
    } catch (KeyFormatException e) {
      counters.count(ServerCount.BAD_FRAME);
      return error(P2PErrorMsg.UNKNOWN_MESSAGE, e.getMessage());
    }
    if (keys.isEmpty()) {
      return nothing();
    }
    counters.count(ServerCount.GET);
    if (!self.offers()) {
      counters.count(ServerCount.GET_EMPTY);
      return nothing();
    }
    ChunkLease lease = cache.leasePrefix(keys, terms.compression());
    try {
      return answer(connection, request.receiverId(), terms, lease);
    } catch (RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  private Answer answer(PeerId connection, String peer, KnownPeers.Terms terms, ChunkLease lease) {
    if (lease.size() == 0) {
      counters.count(ServerCount.GET_EMPTY);
      return copied(lease);
    }
    long bytes = bytesOf(lease);
    boolean sealed = overheadBytes > 0 && !terms.readsMemory();
    if (!loans.allow(peer, bytes, sealed)) {
      lease.close();
      counters.count(ServerCount.OVERLOADED);
      return error(P2PErrorMsg.OVERLOADED, "too much is on loan");
    }
    if (terms.readsMemory()) {
      counters.add(ServerCount.CHUNK_SHARED, lease.size());
      counters.add(ServerCount.BYTE_SHARED, bytes);
      BatchedLookupAndGetRetMsg reply = found(lease, loans.nextId(), true);
      return new Answer(reply, List.of(), loans.lend(peer, connection, lease, bytes, sealed));
    }
    counters.add(ServerCount.CHUNK_SENT, lease.size());
    counters.add(ServerCount.BYTE_SENT, bytes);
    countCompressed(lease);
    if (!terms.saysDone()) {
      return copied(lease);
    }
    List<Frame> bodies = BodyFrames.of(lease, overheadBytes);
    BatchedLookupAndGetRetMsg reply = found(lease, loans.nextId(), false);
    return new Answer(reply, bodies, loans.lend(peer, connection, lease, bytes, sealed));
  }

  /** For who can't say done. */
  private Answer copied(ChunkLease lease) {
    try (lease) {
      counters.add(ServerCount.CHUNK_COPIED, lease.size());
      return new Answer(found(lease, 0, false), BodyFrames.copyOf(lease, overheadBytes), 0);
    }
  }

  private static List<ChunkKey> parse(List<String> texts, int most) {
    List<ChunkKey> keys = new ArrayList<>();
    for (String text : texts.subList(0, Math.min(texts.size(), most))) {
      keys.add(ChunkKey.parse(text));
    }
    return keys;
  }

  private Answer nothing() {
    BatchedLookupAndGetRetMsg reply =
        new BatchedLookupAndGetRetMsg(
            0, self.epoch().getAsLong(), 0L, List.of(), List.of(), List.of());
    return new Answer(reply, List.of(), 0);
  }

  /**
   * The reply that tells of the lease's chunks.
   *
   * @param withPlaces whether the peer must know where they lie
   */
  private BatchedLookupAndGetRetMsg found(ChunkLease lease, long loan, boolean withPlaces) {
    boolean compressed =
        IntStream.range(0, lease.size()).anyMatch(i -> lease.compressedBy(i) != null);
    return new BatchedLookupAndGetRetMsg(
        lease.size(),
        self.epoch().getAsLong(),
        loan,
        ofEach(lease, lease::bytes),
        ofEach(lease, lease::tokens),
        ofEach(lease, lease::checksum),
        withPlaces ? ofEach(lease, lease::offset) : null,
        withPlaces ? ofEach(lease, lease::generation) : null,
        compressed ? ofEach(lease, i -> compressedLength(lease, i)) : null,
        compressed ? ofEach(lease, i -> compressedBy(lease, i)) : null);
  }

  private void countCompressed(ChunkLease lease) {
    for (int i = 0; i < lease.size(); i++) {
      if (lease.compressedBy(i) != null) {
        counters.count(ServerCount.CHUNK_COMPRESSED);
        counters.add(ServerCount.BYTE_SAVED, lease.bytes(i) - lease.stored(i).byteSize());
      }
    }
  }

  private static int compressedLength(ChunkLease lease, int index) {
    return lease.compressedBy(index) == null ? 0 : (int) lease.stored(index).byteSize();
  }

  private static String compressedBy(ChunkLease lease, int index) {
    CompressionMethod method = lease.compressedBy(index);
    return method == null ? "" : method.text();
  }

  private static <T> List<T> ofEach(ChunkLease lease, IntFunction<T> figure) {
    return IntStream.range(0, lease.size()).mapToObj(figure).toList();
  }

  private static Answer error(int code, @Nullable String detail) {
    return new Answer(new P2PErrorMsg(code, detail), List.of(), 0);
  }

  /** Of what is lent: bodies, or what they are compressed to. */
  private static long bytesOf(ChunkLease lease) {
    long bytes = 0;
    for (int i = 0; i < lease.size(); i++) {
      bytes += lease.stored(i).byteSize();
    }
    return bytes;
  }
}

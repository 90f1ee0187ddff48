package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.zmq.PeerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * All that one client of the engine's door holds: its leases, its claims and the requests at work
 * for it. It belongs to the connection that opened it and ends with it; once it has a lifeline, it
 * ends with that alone, and whichever connection names it is its own. The door's thread alone.
 */
final class EngineSession {

  /** What one id of a client stands for. */
  private static final class Lease {
    private final List<Held> held = new ArrayList<>();
    private long sinceNanos;
    private boolean read;
  }

  private final long id;
  private final String client;
  private final EngineSettings settings;
  private final Map<Long, Lease> leases = new HashMap<>();
  private final Map<Long, Claimed> claims = new HashMap<>();
  private final Map<Thread, EngineTask> atWork = new HashMap<>();
  private final EngineShare share = new EngineShare();
  private PeerId connection;
  private @Nullable Lifeline lifeline;
  private boolean askedForHandOver;
  private long lastId;
  private int claimedChunks;
  private long leasedBytes;
  private long lastUsedNanos;
  private boolean ended;

  EngineSession(long id, PeerId connection, String client, EngineSettings settings, long nowNanos) {
    this.id = id;
    this.connection = connection;
    this.client = client;
    this.settings = settings;
    this.lastUsedNanos = nowNanos;
  }

  long id() {
    return id;
  }

  /** Whether it ends with this connection. */
  boolean dependsOn(PeerId peer) {
    return lifeline == null && connection.equals(peer);
  }

  /** Whether it may be used over this connection; one with a lifeline is its own from now on. */
  boolean admits(PeerId peer) {
    if (lifeline != null) {
      connection = peer;
    }
    return connection.equals(peer);
  }

  void askForHandOver() {
    askedForHandOver = true;
  }

  /** From now on it lives as long as this; answers whether it may. */
  boolean tie(Lifeline line, int maxChunks) {
    if (!askedForHandOver || lifeline != null) {
      return false;
    }
    lifeline = line;
    share.limit(maxChunks);
    return true;
  }

  boolean hasLifeline() {
    return lifeline != null;
  }

  boolean hasLifeline(Lifeline line) {
    return lifeline == line;
  }

  EngineShare share() {
    return share;
  }

  String client() {
    return client;
  }

  int leases() {
    return leases.size();
  }

  long leasedBytes() {
    return leasedBytes;
  }

  int claimedChunks() {
    return claimedChunks;
  }

  boolean hasEnded() {
    return ended;
  }

  void usedAt(long nowNanos) {
    lastUsedNanos = nowNanos;
  }

  boolean idleSince(long nanos) {
    return lifeline == null && atWork.isEmpty() && lastUsedNanos - nanos <= 0;
  }

  /** Refuses to hold more where the bounds are reached; lease 0 stands for one to come. */
  void requireRoom(long leaseId) throws EngineFault {
    if (leaseId == 0 && leases.size() >= settings.maxLeases()) {
      throw EngineFault.overloaded("the session has %d leases".formatted(leases.size()));
    }
    if (leasedBytes >= settings.maxLeasedBytes()) {
      throw EngineFault.overloaded("the session's leases hold %d bytes".formatted(leasedBytes));
    }
  }

  /** Refuses a lease that isn't there; 0 stands for one to come. */
  void requireLease(long leaseId) throws EngineFault {
    if (leaseId != 0 && !leases.containsKey(leaseId)) {
      throw new EngineFault(
          EngineErrorCode.UNKNOWN_LEASE, "session %d has no lease %d".formatted(id, leaseId));
    }
  }

  /** Refuses a claim where there is no lifeline. */
  void requireLifeline() throws EngineFault {
    if (lifeline == null) {
      throw EngineFault.badRequest(
          "session %d has no connection to the socket for the hand-over".formatted(id));
    }
  }

  void began(Thread thread, EngineTask task) {
    atWork.put(thread, task);
  }

  void finished(Thread thread, long nowNanos) {
    EngineTask task = atWork.remove(thread);
    if (task != null) {
      share.endSetAside(task.setAside());
    }
    lastUsedNanos = nowNanos;
  }

  /** Interrupts a request of this connection; answers whether it is at work. */
  boolean cancel(PeerId peer, long requestId) {
    boolean found = false;
    for (Map.Entry<Thread, EngineTask> work : atWork.entrySet()) {
      EngineCaller caller = work.getValue().caller();
      if (caller.peer().equals(peer) && caller.requestId().equals(OptionalLong.of(requestId))) {
        work.getKey().interrupt();
        found = true;
      }
    }
    return found;
  }

  /**
   * Adds to a lease, or keeps a claim.
   *
   * @param leaseId 0 = a new one
   * @param read whether the client was sent the bodies
   * @return the id of the lease or claim
   * @throws EngineFault if the session would hold more than its share
   */
  long keep(long leaseId, Kept kept, boolean read, long nowNanos) throws EngineFault {
    share.take(kept.chunks());
    return switch (kept) {
      case Held held -> keep(leaseId, held, read, nowNanos);
      case Claimed claimed -> {
        claims.put(++lastId, claimed);
        claimedChunks += claimed.chunks();
        yield lastId;
      }
    };
  }

  private long keep(long leaseId, Held held, boolean read, long nowNanos) {
    long key = leaseId == 0 ? ++lastId : leaseId;
    Lease lease = leases.computeIfAbsent(key, unused -> new Lease());
    lease.sinceNanos = nowNanos;
    lease.held.add(held);
    lease.read |= read;
    leasedBytes += held.bytes();
    return key;
  }

  /** Ends a lease; the answer is the number of chunks that it held. */
  int release(long leaseId) throws EngineFault {
    requireLease(leaseId);
    Lease lease = leases.remove(leaseId);
    return lease == null ? 0 : close(lease);
  }

  /**
   * A use of the first chunks of a lease, the last of them first.
   *
   * @return how many were used
   */
  int touch(long leaseId, int chunks, EngineApi api) throws EngineFault {
    requireLease(leaseId);
    Lease lease = leases.get(leaseId);
    if (lease == null || chunks < 0) {
      throw EngineFault.badRequest(
          "%d chunks of lease %d can't be used".formatted(chunks, leaseId));
    }
    int before = lease.held.stream().mapToInt(Held::chunks).sum();
    int used = Math.min(chunks, before);
    for (Held held : lease.held.reversed()) {
      before -= held.chunks();
      api.touch(held.lease(), Math.clamp(used - before, 0, held.chunks()));
    }
    return used;
  }

  /** Takes a claim off the session, which answers for it no longer. */
  Claimed takeClaim(long claimId) throws EngineFault {
    Claimed claimed = claims.remove(claimId);
    if (claimed == null) {
      throw new EngineFault(
          EngineErrorCode.UNKNOWN_LEASE, "session %d has no claim %d".formatted(id, claimId));
    }
    letGo(claimed);
    return claimed;
  }

  /** Answers for a claim again that was taken off it just now. */
  void putBack(long claimId, Claimed claimed) {
    claims.put(claimId, claimed);
    claimedChunks += claimed.chunks();
    share.putBack(claimed.chunks());
  }

  private void letGo(Claimed claimed) {
    claimedChunks -= claimed.chunks();
    share.giveBack(claimed.chunks());
  }

  /** Ends a lease or claim that its client never learned of. */
  void drop(long id) {
    Lease lease = leases.remove(id);
    if (lease != null) {
      close(lease);
    }
    Claimed claimed = claims.remove(id);
    if (claimed != null) {
      letGo(claimed);
      claimed.giveBack();
    }
  }

  /**
   * Ends the leases not added to since this time, whose bodies nobody was sent; none where a
   * lifeline tells whether the client is there.
   */
  int expireUnread(long beforeNanos) {
    int expired = 0;
    if (lifeline != null) {
      return 0;
    }
    Iterator<Lease> all = leases.values().iterator();
    while (all.hasNext()) {
      Lease lease = all.next();
      if (!lease.read && lease.sinceNanos - beforeNanos <= 0) {
        all.remove();
        close(lease);
        expired++;
      }
    }
    return expired;
  }

  /** Ends all; the answer is the number of chunks that were held or claimed. */
  int end() {
    ended = true;
    atWork.keySet().forEach(Thread::interrupt);
    int chunks = claimedChunks;
    claims.values().forEach(Claimed::giveBack);
    claims.clear();
    claimedChunks = 0;
    for (Lease lease : leases.values()) {
      chunks += close(lease);
    }
    leases.clear();
    if (lifeline != null) {
      lifeline.close();
    }
    return chunks;
  }

  private int close(Lease lease) {
    int chunks = 0;
    for (Held held : lease.held) {
      held.giveBack();
      chunks += held.chunks();
      share.giveBack(held.chunks());
      leasedBytes -= held.bytes();
    }
    return chunks;
  }
}
